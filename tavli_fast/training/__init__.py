"""Training nets by self-play, with checkpoints that resume.

May import `rollouts`, `nets` and what lies below them. The command line calls it.
"""

from tavli_fast.training.second_stage import improve
from tavli_fast.training.trainer import train

__all__ = ["improve", "train"]
