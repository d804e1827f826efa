"""`memfold audit`: what is in a store, and how much of it is redundant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfold.cli.options import Place, StoreCommand, chosen, every_namespace_option, json_option
from memfold.cli.progress import Interrupt, Meter
from memfold.cli.show import console, emit

if TYPE_CHECKING:
    from memfold.audit import Audit


@click.command(
    cls=StoreCommand,
    example="""\
memfold audit notes.jsonl
memfold audit agent.db --all-namespaces --plot audit.png""",
)
@every_namespace_option
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Draw it too: png, svg or pdf (needs the extra 'plot').")
@click.option("--examples", type=click.IntRange(min=0), default=5, show_default=True, metavar="N", help="Groups shown of each sort.")
@click.option("--reembed", is_flag=True, help="Make all vectors anew where another embedder made them.")
@json_option
def audit(place: Place, namespace: str | None, every: bool, plot: str | None, examples: int, reembed: bool, as_json: bool) -> None:
    """What is in a store and how much of it is redundant; changes nothing and needs no language model."""
    audits: dict[str, Audit] = {}
    with Interrupt() as interrupt, Meter(interrupt) as meter, place.open(reembed=reembed, on_progress=meter.told) as memory:
        for name in chosen(memory, namespace, every):
            audits[name] = memory.audit(name)
            meter.clear()
    if as_json:
        for name, found in audits.items():
            emit({"type": "audit", "namespace": name, **found.as_dict()})
    else:
        _print(audits, place, examples)
    if plot is not None:
        from memfold.audit.plot import plot as draw

        try:
            draw(audits, plot)
        except ValueError as error:
            raise click.UsageError(f"cannot draw {plot}: {error}") from error
        click.echo(f"drawn: {plot}", err=True)


def _print(audits: dict[str, Audit], place: Place, examples: int) -> None:
    from memfold.cli.audit_tables import print_audit

    out = console()
    for name, found in audits.items():
        print_audit(out, found, place.store if len(audits) == 1 else f"{place.store}, namespace {name}", examples)
        out.print()
    if any(found.entries for found in audits.values()):
        out.print(f"look at a plan:  {place.command('refine', '--budget', '50%', *_namespace(audits))}", soft_wrap=True)


def _namespace(audits: dict[str, Audit]) -> list[str]:
    if len(audits) > 1:
        return ["--all-namespaces"]
    name = next(iter(audits))
    return [] if name == "default" else ["--namespace", name]
