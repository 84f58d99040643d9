"""A mock of a FIBS server: as much of CLIP as two bots need to play, drop out and resume."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import tavli_fast as tf
from tavli_fast.connect.fibs_board import FibsBoard, write_board


@dataclass
class Client:
    """One user who is logged in."""

    name: str
    writer: asyncio.StreamWriter
    ready: bool = False
    match: Match | None = None
    invited_by: dict[str, int | None] = field(default_factory=dict)

    def tell(self, *lines: str) -> None:
        if not self.writer.is_closing():
            self.writer.write("".join(f"{line}\r\n" for line in lines).encode())


class Match:
    """A match: its session, and who sits where."""

    def __init__(self, names: tuple[str, str], length: int, seed: int) -> None:
        self.names, self.length = names, length
        self.session = tf.Session("backgammon", target=length, seed=seed)
        self.joined: set[str] = set()
        self.resigned: tuple[int, int] | None = None
        """The player who wants to resign, and the points."""
        self.swaps = 0
        """How often the numbering has been turned: it changes with every game."""

    def board(self, seat: int) -> str:
        """Return the board line of one player."""
        game = self.session.game
        on_roll = 1 - game.player if game.phase == "double" else game.player
        board = game.board if game.player == seat else tf.flip(game.board)
        # X and O change with the games, and so do the directions, in all four ways.
        colour = 1 if (seat + self.swaps) % 2 else -1
        direction = -colour if self.swaps % 4 < 2 else colour
        mine = game.dice if on_roll == seat else None
        theirs = game.dice if on_roll != seat else None
        owner = game.cube.owner
        return write_board(
            FibsBoard(
                you="You",
                opponent=self.names[1 - seat],
                length=self.length,
                score=(self.session.score[seat], self.session.score[1 - seat]),
                board=board,
                turn=0 if game.phase == "over" else 1 if on_roll == seat else -1,
                your_dice=mine,
                opponents_dice=theirs,
                cube=game.cube.value,
                may_double=(owner in (None, seat), owner in (None, 1 - seat)),
                was_doubled=int(game.phase == "double"),
                colour=colour,
                direction=direction,
                flags=(int(game.terms.crawford_over and not game.terms.crawford), 0),
            )
        )

    def point(self, seat: int, text: str) -> int:
        """Return the player's own number of a point as he writes it."""
        if text in ("bar", "off"):
            return 25 if text == "bar" else 0
        colour = 1 if (seat + self.swaps) % 2 else -1
        direction = -colour if self.swaps % 4 < 2 else colour
        return int(text) if direction == -1 else 25 - int(text)


class FibsServer:
    """The server: users, matches that run, and matches that are saved."""

    def __init__(self, users: dict[str, str], seed: int = 1) -> None:
        self.users, self.seed = users, seed
        self.clients: dict[str, Client] = {}
        self.saved: dict[frozenset[str], Match] = {}
        self.finished: list[Match] = []
        self.complaints: list[str] = []
        """What the server has refused."""
        self.lines = 0
        self.drop_after: list[tuple[int, str]] = []
        """At how many lines heard to cut whose connection."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        client = None
        try:
            writer.write(b"Welcome to a mock of FIBS.\r\nlogin: ")
            while client is None:
                words = (await reader.readline()).decode().split()
                if not words:
                    return
                if words[:1] == ["login"] and len(words) == 5 and words[2] == "1008":
                    client = self._log_in(words[3], words[4], writer)
                if client is None:
                    writer.write(b"\r\nlogin: ")
            while line := (await reader.readline()).decode().strip():
                self.lines += 1
                if self.drop_after and self.lines >= self.drop_after[0][0]:
                    gone = self.clients.get(self.drop_after.pop(0)[1])
                    if gone is not None:
                        gone.writer.transport.abort()
                if line == "bye":
                    client.tell("Goodbye.")
                    return
                try:
                    self._command(client, line.split())
                except (ValueError, IndexError) as error:
                    self.complaints.append(f"{client.name}: {line}: {error}")
                    client.tell(f"** You can't do that: {error}")
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            if client is not None and self.clients.get(client.name) is client:
                self._log_out(client)
            writer.close()

    def _log_in(self, name: str, password: str, writer: asyncio.StreamWriter) -> Client | None:
        if self.users.get(name) != password:
            return None
        if (old := self.clients.get(name)) is not None:
            self._log_out(old)
            old.writer.transport.abort()
        client = Client(name, writer)
        client.tell(
            f"1 {name} 1041253132 192.168.1.308",
            f"2 {name} 1 1 0 0 0 0 1 1 2396 0 1 0 1 3457.85 0 0 0 0 0 Australia/Melbourne",
            "3",
            "A message of the day; login: is not a prompt here.",
            "4",
        )
        for other in self.clients.values():
            other.tell(f"7 {name} {name} logs in.")
            client.tell(self._who(other))
        client.tell("6")
        self.clients[name] = client
        return client

    def _who(self, client: Client) -> str:
        opponent = "-"
        if client.match is not None:
            opponent = next(name for name in client.match.names if name != client.name)
        ready = int(client.ready)
        return f"5 {client.name} {opponent} - {ready} 0 1500.00 0 0 1041253132 host client -"

    def _log_out(self, client: Client) -> None:
        self.clients.pop(client.name, None)
        if client.match is not None:
            self._save(client, f"{client.name} drops connection. The game was saved.")
        for other in self.clients.values():
            other.tell(f"8 {client.name} {client.name} drops connection.")

    def _save(self, client: Client, message: str) -> None:
        match = client.match
        assert match is not None
        self.saved[frozenset(match.names)] = match
        for name in match.names:
            if (each := self.clients.get(name)) is not None:
                each.match = None
                if name != client.name:
                    each.tell(message)
        client.match = None

    def _command(self, client: Client, words: list[str]) -> None:
        verb, *rest = words
        if verb == "toggle" and rest == ["ready"]:
            client.ready = not client.ready
            client.tell(
                "** You're now ready to invite or join someone."
                if client.ready
                else "** You're now refusing to play with someone."
            )
            for other in self.clients.values():
                other.tell(self._who(client), "6")
        elif verb == "set":
            client.tell(f"Value of '{rest[0]}' set to {rest[1]}.")
        elif verb == "show":
            self._show_saved(client)
        elif verb == "invite":
            self._invite(client, rest)
        elif verb == "join" and rest:
            self._join(client, rest[0])
        else:
            self._play(client, verb, rest)

    def _show_saved(self, client: Client) -> None:
        mine = [match for names, match in self.saved.items() if client.name in names]
        if not mine:
            client.tell("no saved games.")
            return
        client.tell("  opponent          matchlength   score (your points first)")
        for match in mine:
            seat = match.names.index(client.name)
            score = match.session.score
            other = match.names[1 - seat]
            client.tell(f"  {other}   {match.length}   {score[seat]} - {score[1 - seat]}")

    def _invite(self, client: Client, rest: list[str]) -> None:
        other = self.clients.get(rest[0])
        if other is None:
            client.tell(f"** There is no one called {rest[0]}.")
        elif not other.ready or other.match is not None:
            client.tell(f"** {rest[0]} is refusing games.")
        elif len(rest) == 1:
            if frozenset((client.name, rest[0])) not in self.saved:
                client.tell(
                    f"** There's no saved match with {rest[0]}. Please give a match length."
                )
                return
            other.invited_by[client.name] = None
            client.tell(f"** You invited {rest[0]} to resume a saved match.")
            other.tell(f"{client.name} wants to resume a saved match with you.")
            other.tell(f"Type 'join {client.name}' to accept.")
        else:
            other.invited_by[client.name] = int(rest[1])
            client.tell(f"** You invited {rest[0]} to a {rest[1]} point match.")
            other.tell(f"{client.name} wants to play a {rest[1]} point match with you.")
            other.tell(f"Type 'join {client.name}' to accept.")

    def _join(self, client: Client, name: str) -> None:
        if name not in client.invited_by or name not in self.clients:
            client.tell(f"** {name} didn't invite you.")
            return
        length, other = client.invited_by.pop(name), self.clients[name]
        key = frozenset((client.name, name))
        if length is None:
            match = self.saved.pop(key)
            client.tell(f"You are now playing with {name}. Your running match was loaded.")
            other.tell(f"{client.name} has joined you. Your running match was loaded.")
        else:
            self.saved.pop(key, None)
            self.seed += 1
            match = Match((name, client.name), length, self.seed)
            client.tell(f"** You are now playing a {length} point match with {name}")
            other.tell(f"** Player {client.name} has joined you for a {length} point match.")
        client.match = other.match = match
        if length is None:
            self._ask(match)
        else:
            self._begin(match)

    def _tell(self, match: Match, seat: int, *lines: str) -> None:
        if (client := self.clients.get(match.names[seat])) is not None:
            client.tell(*lines)

    def _begin(self, match: Match) -> None:
        """Announce a new game."""
        first, second = match.session.game.record.contest[-1]
        for seat, dice in ((0, (first, second)), (1, (second, first))):
            other = match.names[1 - seat]
            self._tell(
                match,
                seat,
                f"Starting a new game with {other}.",
                f"You rolled {dice[0]}, {other} rolled {dice[1]}",
                f"{match.names[match.session.game.player]} makes the first move.",
            )
        self._ask(match)

    def _ask(self, match: Match) -> None:
        """Show the boards, and ask who has to act; roll where nothing else can be done."""
        session = match.session
        while session.game.phase == "roll" and not session.game.may_double:
            self._roll(match)
        game = session.game
        for seat in (0, 1):
            self._tell(match, seat, match.board(seat))
        if game.phase == "over":
            self._game_over(match)
        elif game.phase == "play":
            count = max(len(play.moves) for play in game.plays[:1])
            pieces = f"{count} piece{'s' * (count > 1)}"
            self._tell(match, game.player, f"Please move {pieces}.")
        elif game.phase == "double":
            doubler = match.names[1 - game.player]
            self._tell(match, game.player, f"{doubler} doubles. Type 'accept' or 'reject'.")
        elif game.phase == "roll":
            self._tell(match, game.player, "It's your turn. Please roll or double")

    def _roll(self, match: Match) -> None:
        game = match.session.game
        player, turns = game.player, len(game.record.turns)
        first, second = game.roll()
        name = match.names[player]
        self._tell(match, player, f"You roll {first} and {second}.")
        self._tell(match, 1 - player, f"{name} rolls {first} and {second}.")
        if len(game.record.turns) > turns:
            self._tell(match, player, "You can't move.")
            self._tell(match, 1 - player, f"{name} can't move.")

    def _play(self, client: Client, verb: str, rest: list[str]) -> None:
        match = client.match
        if match is None:
            client.tell("** You're not playing.")
            return
        seat, game = match.names.index(client.name), match.session.game
        if verb == "board":
            client.tell(match.board(seat))
        elif verb == "leave":
            self._save(client, f"** Player {client.name} has left the game. The game was saved.")
            client.tell("** You terminated the game. The game was saved.")
        elif verb == "join":
            self._next_game(match, client)
        elif match.resigned is not None and verb in ("accept", "reject"):
            self._resignation(match, seat, verb)
        elif verb == "resign":
            self._wants_to_resign(match, seat, "ngb".index(rest[0]) + 1)
        elif seat != game.player:
            raise ValueError(f"it is {match.names[game.player]}'s turn")
        else:
            self._act(match, client, verb, rest)

    def _act(self, match: Match, client: Client, verb: str, rest: list[str]) -> None:
        """Do what only the player whose turn it is may do."""
        game, seat = match.session.game, match.names.index(client.name)
        other = match.names[1 - seat]
        if verb == "roll":
            if game.phase != "roll":
                raise ValueError("you did already roll the dice")
            self._roll(match)
        elif verb == "double":
            game.double()
            client.tell(f"You double. Please wait for {other} to accept or reject.")
        elif verb == "accept":
            game.take()
            client.tell(f"You accept the double. The cube shows {game.cube.value}.")
            text = f"{client.name} accepts the double. The cube shows {game.cube.value}."
            self._tell(match, 1 - seat, text)
        elif verb == "reject":
            game.drop()
        elif verb == "move":
            steps = [each.split("-") for each in rest]
            game.play([(match.point(seat, a), match.point(seat, b)) for a, b in steps])
            self._tell(match, 1 - seat, f"{client.name} moves {' '.join(rest)} .")
        else:
            client.tell(f"** Unknown command: '{verb}'")
            return
        self._ask(match)

    def _wants_to_resign(self, match: Match, seat: int, points: int) -> None:
        match.resigned = seat, points
        total = points * match.session.game.cube.value
        text = f"{total} point{'s' * (total > 1)}"
        name, other = match.names[seat], match.names[1 - seat]
        self._tell(match, seat, f"You want to resign. {other} will win {text}.")
        text = f"{name} wants to resign. You will win {text}."
        self._tell(match, 1 - seat, f"{text} Type 'accept' or 'reject'.")

    def _resignation(self, match: Match, seat: int, verb: str) -> None:
        assert match.resigned is not None
        loser, points = match.resigned
        if seat == loser:
            raise ValueError("you want to resign")
        match.resigned = None
        name = match.names[seat]
        if verb == "reject":
            self._tell(match, seat, "You reject. The game continues.")
            self._tell(match, loser, f"{name} rejects. The game continues.")
            return
        match.session.game.resign(points, loser)
        self._tell(match, seat, f"You accept and win {points} points.")
        self._tell(match, loser, f"{name} accepts and wins {points} points.")
        self._ask(match)

    def _game_over(self, match: Match) -> None:
        session = match.session
        record = session.game.record
        winner, points = record.winner, record.points
        assert winner is not None
        name, loser = match.names[winner], match.names[1 - winner]
        text = f"{points} point{'s' * (points != 1)}"
        self._tell(match, winner, f"You win the game and get {text}. Congratulations!")
        self._tell(match, 1 - winner, f"{name} wins the game and gets {text}. Sorry.")
        score = session.score
        if session.phase == "match_over":
            end = f"{match.length} point match {score[winner]}-{score[1 - winner]} ."
            self._tell(match, winner, f"You win the {end}")
            self._tell(match, 1 - winner, f"{name} wins the {end}")
            self.finished.append(match)
            for each in (name, loser):
                if (client := self.clients.get(each)) is not None:
                    client.match = None
            return
        for seat in (0, 1):
            self._tell(
                match,
                seat,
                f"score in {match.length} point match: {match.names[0]}-{score[0]} "
                f"{match.names[1]}-{score[1]}",
                "Type 'join' if you want to play the next game, type 'leave' if you don't.",
            )

    def _next_game(self, match: Match, client: Client) -> None:
        if match.session.phase != "game_over":
            raise ValueError("there is no next game to join")
        match.joined.add(client.name)
        if len(match.joined) < 2:
            other = next(name for name in match.names if name != client.name)
            client.tell(f"** Please wait for {other} to join too.")
            return
        match.joined.clear()
        match.session.next_game()
        match.swaps += 1
        self._begin(match)
