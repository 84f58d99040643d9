"""An analysis as one page of HTML that needs nothing else: no network, no files beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from tavli_fast.analysis.chart import chart
from tavli_fast.analysis.records import Decision
from tavli_fast.analysis.totals import ROWS, Judged, cells_of
from tavli_fast.notation.view import view

__all__ = ["board_of", "page", "totals_table"]

_SHOWN: Final = 0.02
"""The errors that get a board."""
_MOST: Final = 60
"""How many of them at most, the worst ones."""

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2126;--paper:#fff;--line:#cfd4da;--link:#1456b8;
--good:#0a7d33;--bad:#b3261e;--a:#1456b8;--b:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#15181c;--line:#3a4048;
--link:#8ab8ff;--good:#5fd38a;--bad:#ff8a80;--a:#62b0ff;--b:#ff8a80}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem;font:16px/1.45 system-ui,sans-serif;
color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0}
a{color:var(--link)}p{margin:.4rem 0}
.scroll,.chart{overflow-x:auto}.chart svg{min-width:40rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child,.left,#decisions th:nth-child(n+3):nth-child(-n+6){text-align:left}
#decisions td.w{white-space:normal;min-width:7rem;text-align:left}
thead th{position:sticky;top:0;background:var(--paper)}
th button{all:unset;cursor:pointer;font-weight:bold}
th button:focus-visible,a:focus-visible,select:focus-visible{outline:2px solid var(--link)}
th[aria-sort=ascending] button:after{content:" \\25b2"}
th[aria-sort=descending] button:after{content:" \\25bc"}
tr.very td:nth-child(7),tr.bad td:nth-child(7){color:var(--bad);font-weight:bold}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1rem}
article{border:1px solid var(--line);border-radius:.5rem;padding:.8rem;break-inside:avoid}
article:target{outline:3px solid var(--link)}
article svg,.chart svg{width:100%;height:auto;display:block;margin:.4rem 0}
.key{font-size:.85rem}
label{margin-right:1rem;white-space:nowrap}
@media(max-width:40rem){th,td{padding:.2rem .35rem}table{font-size:.85rem}}
@media print{body{max-width:none;font-size:11px}.controls{display:none}
.scroll,.chart{overflow:visible}.chart svg{min-width:0}thead th{position:static}}
"""

_SCRIPT: Final = """
(function(){
var table=document.getElementById('decisions');
if(table){
var body=table.tBodies[0],heads=table.tHead.rows[0].cells;
function value(row,at){var cell=row.cells[at],v=cell.getAttribute('data-v');
return v===null?cell.textContent:parseFloat(v)}
function sort(at,down){
var rows=Array.prototype.slice.call(body.rows);
rows.sort(function(p,q){var a=value(p,at),b=value(q,at);
var c=typeof a==='number'?a-b:String(a).localeCompare(String(b));
return (down?-c:c)||p.getAttribute('data-n')-q.getAttribute('data-n')});
rows.forEach(function(row){body.appendChild(row)});
for(var i=0;i<heads.length;i++)heads[i].setAttribute('aria-sort',
i===at?(down?'descending':'ascending'):'none')}
for(var i=0;i<heads.length;i++)(function(at){
heads[at].firstElementChild.addEventListener('click',function(){
var now=heads[at].getAttribute('aria-sort');
var numbers=body.rows.length&&body.rows[0].cells[at].hasAttribute('data-v');
sort(at,now==='none'?numbers&&at>1:now!=='descending')})})(i);
function filter(){
var who=document.getElementById('who').value,what=document.getElementById('what').value;
Array.prototype.forEach.call(body.rows,function(row){
row.hidden=(who!==''&&row.getAttribute('data-p')!==who)||
(what==='errors'&&parseFloat(row.cells[6].getAttribute('data-v'))<=0)||
(what!==''&&what!=='errors'&&row.getAttribute('data-k')!==what)})}
document.getElementById('who').addEventListener('change',filter);
document.getElementById('what').addEventListener('change',filter)}
document.addEventListener('keydown',function(event){
if(event.ctrlKey||event.metaKey||event.altKey||/SELECT|INPUT/.test(event.target.tagName))return;
var step=event.key==='n'?1:event.key==='p'?-1:0;
if(!step)return;
var cards=Array.prototype.slice.call(document.querySelectorAll('article'));
var at=cards.findIndex(function(card){return '#'+card.id===location.hash});
var next=cards[at<0?(step>0?0:cards.length-1):at+step];
if(next){location.hash=next.id;next.focus()}});
})();
"""


def page(found: Judged) -> str:
    """Return the page of an analysis."""
    first, second = map(escape, found.players)
    score = "-".join(map(str, found.score))
    length = "" if found.target is None else f", match to {found.target}"
    partial = "<p><strong>Interrupted: the last decisions are missing.</strong></p>"
    shown = [each for each in found.worst(_MOST) if each.error >= _SHOWN]
    number = {id(each): place for place, each in enumerate(found.decisions)}
    cards = {number[id(each)] for each in shown}
    mended = "".join(f"<li>line {line}: {escape(what)}</li>" for line, what in found.mended)
    note = f"<h2>Read otherwise than it stands</h2><ul>{mended}</ul>" if mended else ""
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">"
        f"<title>{first} - {second}: match analysis</title><style>{_STYLE}</style></head><body>"
        f"<header><h1>{first} {score} {second}</h1><p>Match analysis by "
        f"{escape(found.evaluator)}{length}.</p>{partial if found.partial else ''}</header><main>"
        f'<h2>Totals</h2><div class="scroll">{totals_table(found)}</div>'
        f'<h2>Course of the match</h2><div class="chart">{chart(found)}</div>'
        f"{_games(found)}"
        "<h2>Decisions</h2>"
        f'{_controls(found)}<div class="scroll">{_table(found, cards)}</div>'
        f'<h2>Errors</h2>{_key(shown)}<div class="cards">'
        f"{''.join(_card(found, each, number[id(each)]) for each in shown)}</div>{note}"
        f"</main><script>{_SCRIPT}</script></body></html>\n"
    )


def totals_table(found: Judged) -> str:
    """Return the totals of both players as a table of HTML."""
    rows = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td>{escape(cells_of(each, name))}</td>" for each in found.totals)
        + "</tr>"
        for label, name in ROWS
    )
    names = "".join(f"<th>{escape(each.player)}</th>" for each in found.totals)
    return f"<table><thead><tr><th></th>{names}</tr></thead><tbody>{rows}</tbody></table>"


def board_of(decision: Decision, players: tuple[str, str]) -> str:
    """Return the picture of a decision: what was played, and what was best, as arrows."""
    stage = decision.stage
    crawford = stage is not None and stage.away is not None and min(stage.away) == 1
    if stage is not None and crawford and not stage.post_crawford:
        stage = None  # a game without a cube
    # The board is that of the player on roll, who is the doubler of an answer.
    roller = 1 - decision.player if decision.kind == "answer" else decision.player
    better = () if decision.best is decision.played else decision.best.moves
    return view(
        decision.board,
        decision.rules,
        dice=decision.dice,
        play=decision.played.moves,
        best=better,
        cube=None if stage is None else stage.cube,
        owner=None if stage is None else stage.owner,
        names=(players[roller], players[1 - roller]),
    ).svg()


def _games(found: Judged) -> str:
    """Return a row for each game."""
    rows = []
    for game in found.games:
        who = "-" if game.winner is None else f"{found.players[game.winner]} {game.points}"
        cells = [
            str(game.number),
            f"{game.score[0]}-{game.score[1]}",
            who,
            *(f"{each.error_rate:.1f}" for each in game.totals),
            *(f"{each.luck:+.2f}" for each in game.totals),
        ]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    names = [escape(name) for name in found.players]
    heads = ["Game", "Score", "Won by", *(f"Error rate, {name}" for name in names)]
    heads += [f"Luck, {name}" for name in names]
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join(rows)
    return (
        '<h2>Games</h2><div class="scroll"><table><thead><tr>'
        f"{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _controls(found: Judged) -> str:
    """Return what chooses the rows of the table."""
    names = ((str(at), name) for at, name in enumerate(found.players))
    players = _options([("", "both players"), *names])
    kinds = _options(
        [
            ("", "all decisions"),
            ("errors", "errors"),
            ("play", "plays"),
            ("double", "doubles"),
            ("answer", "answers"),
        ]
    )
    return (
        f'<p class="controls"><label>Show <select id="who">{players}</select></label>'
        f'<label>and <select id="what">{kinds}</select></label></p>'
    )


def _options(choices: Iterable[tuple[str, str]]) -> str:
    """Return the options of a choice."""
    return "".join(f'<option value="{value}">{escape(text)}</option>' for value, text in choices)


def _table(found: Judged, cards: set[int]) -> str:
    """Return the table of all decisions with a choice."""
    heads = ("Game", "Turn", "Player", "Roll", "Played", "Best", "Lost", "Luck")
    head = "".join(
        f'<th scope="col" aria-sort="none"><button type="button">{text}</button></th>'
        for text in heads
    )
    rows = "".join(
        _row(found, decision, place, place in cards)
        for place, decision in enumerate(found.decisions)
        if decision.close or (decision.luck is not None and decision.luck.mark)
    )
    return f'<table id="decisions"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _row(found: Judged, decision: Decision, place: int, carded: bool) -> str:
    """Return a row of the table."""
    roll = "cube" if decision.dice is None else f"{decision.dice[0]}{decision.dice[1]}"
    luck = None if decision.luck is None else decision.luck.value
    lost = f"{decision.error:.3f}" if decision.error > 0 else ""
    if carded:
        lost = f'<a href="#d{place}">{lost}</a>'
    best = "" if decision.best is decision.played else decision.best.text
    mark = decision.mark.split(" ")[0]
    return (
        f'<tr data-n="{place}" data-p="{decision.player}" data-k="{decision.kind}" class="{mark}">'
        f'<td data-v="{decision.game}">{decision.game}</td>'
        f'<td data-v="{decision.turn}">{decision.turn}</td>'
        f'<td class="left">{escape(found.players[decision.player])}</td><td>{roll}</td>'
        f'<td class="w">{escape(decision.played.text)}</td><td class="w">{escape(best)}</td>'
        f'<td data-v="{decision.error:.6f}">{lost}</td>'
        f'<td data-v="{0 if luck is None else luck:.6f}">'
        f"{'' if luck is None else f'{luck:+.3f}'}</td></tr>"
    )


def _key(shown: Sequence[Decision]) -> str:
    """Explain the arrows."""
    if not shown:
        return "<p>No error of 0.02 or more.</p>"
    return (
        '<p class="key">The player on roll has the light checkers. '
        '<span style="color:var(--link)">Blue arrows</span>: the play that was made; '
        '<span style="color:var(--good)">green arrows</span>: the best one. '
        "Keys: n the next error, p the previous one.</p>"
    )


def _card(found: Judged, decision: Decision, place: int) -> str:
    """Return an error with its board and its choices."""
    roll = "" if decision.dice is None else f"{decision.dice[0]}{decision.dice[1]}: "
    mark = f", {decision.mark}" if decision.mark else ""
    name = escape(found.players[decision.player])
    rows = "".join(
        f"<tr><td>{'<strong>' if each is decision.played else ''}{escape(each.text)}"
        f"{'</strong>' if each is decision.played else ''}</td><td>{each.equity:+.3f}</td>"
        f"<td>{'' if each is decision.best else f'{each.equity - decision.best.equity:+.3f}'}</td>"
        "</tr>"
        for each in decision.choices
    )
    return (
        f'<article id="d{place}" tabindex="-1"><h3>Game {decision.game}, turn {decision.turn}, '
        f"{name}: {roll}{escape(decision.played.text)} ({decision.error:.3f}{mark})</h3>"
        f"{_standing(decision)}{board_of(decision, found.players)}"
        f'<div class="scroll"><table><tbody>{rows}</tbody></table></div></article>'
    )


def _standing(decision: Decision) -> str:
    """Return how the match stands."""
    stage = decision.stage
    if stage is None or stage.away is None:
        return ""
    crawford = ""
    if min(stage.away) == 1:
        crawford = ", after the Crawford game" if stage.post_crawford else ", Crawford game"
    text = f"The player on roll needs {stage.away[0]}, the opponent {stage.away[1]}{crawford}."
    return f"<p>{text}</p>"
