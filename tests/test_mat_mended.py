"""Match texts as people have them: read as far as they can be, with a list of what was mended."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from match_files import match_files

import tavli_fast as tf

GALAXY = match_files("galaxy")
MENDED = {
    "g007.txt": [(211, "'Wins 4016': read as a resignation, of 4")],
    "g009.txt": [(31, "'Wins 1': counted, though as played, the left side wins 2")],
}
"""What of the files of Galaxy and Studio cannot be read as it stands."""


def last_word(text: str) -> int:
    """Return the points of the last `Wins` of a text."""
    return int(text.split("Wins")[-1].split()[0])


@pytest.mark.parametrize("name", GALAXY)
def test_files_of_galaxy_and_studio(name: str) -> None:
    text = GALAXY[name].decode()
    match = tf.read_mat(GALAXY[name], strict=False)
    assert list(match.mended) == MENDED.get(name, [])
    session = match.session
    assert len(session.history) == text.count(" Game ")
    # The text has every game's score, and the points of the last game.
    before = tuple(
        int(part.split()[0]) for part in text.split(" Game ")[-1].split("\n")[1].split(":")[1:]
    )
    last = session.game.record
    assert last.winner is not None
    gains = [session.score[side] - before[side] for side in (0, 1)]
    assert gains[1 - last.winner] == 0
    wins = last_word(text)
    assert gains[last.winner] == last.points
    assert wins in (last.points, 1004 * last.stake) or (
        session.target is not None and wins == session.target - before[last.winner]
    )
    if name in MENDED:
        with pytest.raises(tf.NotationError, match=rf"line {MENDED[name][0][0]}, column"):
            tf.read_mat(text)
    else:
        assert tf.read_mat(text).session.to_dict() == session.to_dict()
        again = tf.read_mat(tf.write_mat(match), strict=True)
        assert again.session.to_dict() == session.to_dict()


def test_turns_checked_together_are_those_checked_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [*match_files("mat").values(), *list(GALAXY.values())[:8]]
    fast = [tf.read_mat(text, strict=False).session for text in texts]
    with monkeypatch.context() as slowly:
        slowly.setattr("tavli_fast.play.mat.replay.tracks_of", lambda *_: {})
        slow = [tf.read_mat(text, strict=False).session for text in texts]
    for left, right in zip(fast, slow, strict=True):
        assert left.to_dict() == right.to_dict()
        for mine, theirs in zip(left.history, right.history, strict=True):
            for turn, other in zip(mine.turns, theirs.turns, strict=True):
                assert np.array_equal(turn.board, other.board)
                assert not turn.board.flags.writeable


HEAD = """ 5 point match

 Game 1
 Ann : 0                           Bo : 0
  1)                              43: 13/9 13/10
  2)  Doubles => 2                 Takes
"""
PLAYED = "  3) 31: 8/5 6/5                  62: 24/18 13/11\n"
NEXT = """
 Game 2
 Ann : {}                           Bo : {}
  1) 31: 8/5 6/5                  42: 8/4 6/4
"""


def read(text: str, *, strict: bool = True) -> tf.MatMatch:
    return tf.read_mat(text, strict=strict)


@pytest.mark.parametrize(
    "end",
    [
        "  4)  Losses 4 points\n",
        "  4)  Losses 4 points              Wins 4 point\n",
        "  4) 31: ????\n                                   Wins 4 points\n",
        "  4)  Loses 4 points\n",
    ],
)
def test_losses(end: str) -> None:
    match = read(HEAD + PLAYED + end)
    record = match.session.game.record
    assert (record.winner, record.points, match.mended) == (1, 4, ())


def test_losses_in_the_right_cell_and_after_takes() -> None:
    right = read(HEAD + "  3) 31: 8/5 6/5                   Losses 2 points\n      Wins 2 points\n")
    assert right.session.score == (2, 0)
    double = "  3) 31: 8/5 6/5                   Doubles => 4\n"
    takes = read(HEAD + double + "  4)  Takes                        Losses 4 points\n")
    assert takes.session.score == (4, 0)
    assert [call.action for call in takes.session.game.record.calls][-2:] == ["take", "resign"]


def test_losses_on_a_line_of_its_own() -> None:
    both = read(HEAD + PLAYED + " Losses 2 points\n      Wins 2 points and the match\n")
    assert (both.session.score, both.mended) == ((2, 0), ())
    alone = read(HEAD + PLAYED + " Losses 2 points\n", strict=False)
    assert alone.session.score == (0, 2)
    assert alone.mended == ((8, "'Losses 2': read as a loss of the left side, whose turn it is"),)
    with pytest.raises(tf.NotationError, match="line 8, column 2, 'Losses 2': expected the points"):
        read(HEAD + PLAYED + " Losses 2 points\n")


def test_a_win_cut_to_what_the_match_needs() -> None:
    lines = HEAD.replace(" 5 point", " 3 point") + PLAYED
    cut = read(lines + "      Wins 3 points and the match\n")
    record = cut.session.game.record
    # A gammon at a stake of 2: the smallest resignation that wins the match.
    assert (record.points, record.calls[-1].value, cut.session.winner) == (4, 2, 0)
    assert "Wins 4 points and the match" in tf.write_mat(cut)


def test_forfeits() -> None:
    none = " 5 point match\n\n Game 1\n A : 0          B : 0\n"
    wins = read(none + "      Wins 5 points and the match\n")
    assert (wins.session.score, wins.session.phase) == ((5, 0), "match_over")
    assert wins.session.game.record.calls[-1] == tf.Call(0, 0, "award", 5)
    assert read(tf.write_mat(wins)).session.score == (5, 0)
    rated = none.replace("A : 0 ", "A,1782 : 0 ").replace("B : 0", "B c,1500 : 0")
    games_grid = read(rated + "      Wins 100 points\n", strict=False)
    assert games_grid.session.score == (5, 0)
    assert games_grid.players == ("A,1782", "B c,1500")
    assert games_grid.mended == ((5, "'Wins 100': counted as 5"),)
    with pytest.raises(tf.NotationError, match="column 7, 'Wins 100': expected 1, 2 or 3 points"):
        read(none + "      Wins 100 points\n")


def test_a_match_resigned() -> None:
    match = read(HEAD + PLAYED + "  4)  Resigned Match\n")
    assert (match.session.score, match.session.winner) == ((0, 5), 1)
    again = tf.Session.from_dict(match.session.to_dict(), throw=lambda: (1, 2))
    assert again.score == (0, 5)


def test_a_code_for_a_resignation() -> None:
    text = HEAD + PLAYED + "  4) 31: ????                      Wins 2008 point\n"
    match = read(text + NEXT.format(0, 2), strict=False)
    assert match.session.history[0].points == 2
    assert match.mended == ((8, "'Wins 2008': read as a resignation, of 2"),)
    # The next score knows better.
    gammon = read(text + NEXT.format(0, 4), strict=False)
    assert gammon.session.history[0].points == 4
    assert len(gammon.mended) == 2


def test_double_arrows() -> None:
    match = read(HEAD.replace("Doubles =>", "Doubles ==>") + PLAYED)
    assert match.session.game.cube.value == 2


@pytest.mark.parametrize("cell", ["Illegal play (8/4 6/5)", "8/4 6/5", "24/17 13/14"])
def test_a_play_that_is_not_legal(cell: str) -> None:
    text = HEAD + f"  3) 31: {cell:28} 62: 24/18 13/11\n  4) 65: 24/13\n"
    match = read(text + "      Wins 2 points\n" + NEXT.format(2, 0), strict=False)
    first, second = match.session.history
    assert (len(first.turns), first.winner, first.points) == (1, 0, 2)
    assert len(second.turns) == 2
    assert match.mended[0].line == 7
    assert "the rest of the game is left out" in match.mended[0].what
    with pytest.raises(tf.NotationError, match="line 7, column 6, '31: "):
        read(text)


def test_the_dice_of_a_player_who_did_not_move() -> None:
    idle = " 5 point match\n\n Game 1\n A : 0          B : 0\n  1) 65:        31: 8/5 6/5\n"
    match = read(idle, strict=False)
    assert match.mended == ((5, "'65:': left out, as the other side begins"),)
    assert match.session.history[0].starter == 1
    with pytest.raises(
        tf.NotationError,
        match="line 5, column 6, '65:': the cell of a roll that can be played is empty: "
        "expected a play, such as '",
    ):
        read(idle)
    empty = HEAD + "  3) 31:                          62: 24/18 13/11\n      Wins 2 points\n"
    with pytest.raises(tf.NotationError, match="line 7, column 6, '31:': the cell of a roll"):
        read(empty)
    assert read(empty, strict=False).session.score == (2, 0)
    over = GALAXY["g020.txt"].decode().rstrip()
    after = read(f"{over}\n 99) 65:\n", strict=False)
    assert [what for _, what in after.mended] == ["'65:': left out, as the game is over"]


def test_a_second_match_is_left_out() -> None:
    text = HEAD + PLAYED + "      Wins 2 points\n"
    two = text + "\n" + text
    match = read(two, strict=False)
    assert (match.session.score, len(match.session.history)) == ((2, 0), 1)
    assert match.mended[0].line == 10
    assert "a second match begins here" in match.mended[0].what
    with pytest.raises(tf.NotationError, match="line 10, column 2, '5 point match': expected one"):
        read(two)


def test_scores_and_headings_that_do_not_agree() -> None:
    text = HEAD + PLAYED + "      Wins 2 points\n"
    missing = read(text + NEXT.format(2, 1), strict=False)
    assert [record.points for record in missing.session.history] == [2, 1, None]
    assert missing.mended == (
        (8, "the left side got 2, as the next score says"),
        (10, "a game that the right side won is missing before"),
    )
    fewer = read(
        text + NEXT.format(2, 0) + NEXT.format(1, 0).replace("Game 2", "Game 7"), strict=False
    )
    assert len(fewer.session.history) == 2
    assert [line for line, _ in fewer.mended] == [14, 12, 15]
    drawn = read(HEAD + PLAYED + NEXT.format(0, 0), strict=False)
    assert [record.points for record in drawn.session.history] == [0, None]


def test_foreign_bytes_and_line_endings() -> None:
    text = (HEAD + PLAYED).replace("Bo :", "Zoé :")
    for data in (
        text.replace("\n", "\r\n").encode("cp1252"),
        text.replace("\n", "\r").encode("utf-8-sig"),
        text.encode("utf-16"),
    ):
        match = tf.read_mat(data)
        assert match.players == ("Ann", "Zoé")
        assert len(match.session.history[0].turns) == 3


@pytest.mark.parametrize("name", ["match.mat", "games/Match 3.TXT", Path("match.mat")])
def test_the_name_of_a_file_is_no_text(name: str | Path) -> None:
    with pytest.raises(tf.NotationError, match=r"is the name of a file: .*read_match reads files"):
        tf.read_mat(str(name))


def test_lines_and_tags_that_belong_nowhere() -> None:
    text = '; [CubeLimit "many"]\n; [Variation "Chess"]\nhello\n' + HEAD + PLAYED + " 7) what\n"
    match = read(text, strict=False)
    assert match.session.target == 5
    assert [what for _, what in match.mended] == [
        "'hello': left out",
        "'what': left out",
        "Variation 'Chess': read as backgammon",
        "CubeLimit 'many': left out",
    ]
    assert read(text.replace(" 5 point match", ""), strict=False).session.target is None
    with pytest.raises(tf.NotationError, match=r"expected a length .*, and games"):
        read("hello", strict=False)


def test_texts_mangled_at_random_are_mended_or_refused() -> None:
    """Nothing else than a NotationError, and whatever is read is a match that plays on."""
    rng = random.Random(3)
    texts = [GALAXY[name].decode() for name in ("g010.txt", "g024.txt", "g026.txt", "g028.txt")]
    mended = 0
    for _ in range(70):
        lines = rng.choice(texts).split("\n")
        for _ in range(rng.randint(1, 5)):
            at = rng.randrange(len(lines))
            line, place = lines[at], rng.randint(0, len(lines[at]))
            lines[at : at + 1] = rng.choice(
                [
                    [],
                    [line, line],
                    [line[:place]],
                    [line[place:] + line[:place]],
                    [line[:place] + chr(rng.randrange(32, 1000)) + line[place + 1 :]],
                    [line[:place], line[place:]],
                ]
            )
            lines = lines or [""]
        try:
            match = tf.read_mat("\n".join(lines), strict=False)
        except tf.NotationError:
            continue
        mended += bool(match.mended)
        session = match.session
        assert session.score >= (0, 0)
        if mended % 5 == 0:
            again = tf.Session.from_dict(session.to_dict(), throw=lambda: (2, 1))
            assert again.score == session.score
        written = tf.read_mat(tf.write_mat(match), strict=False)
        assert len(written.session.history) == len(session.history)
    assert mended > 35
