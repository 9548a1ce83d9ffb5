"""A choice among what a user's file declares, as a policy holds it, with the values of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from engine.errors import InputError
from engine.own.file import Declared, OwnFile, Parameter
from engine.spelling import nearest

ROLES: dict[str, tuple[str, ...]] = {
    "order": ("order", "priority"),
    "backfill": ("order", "priority"),
    "estimate": ("predictor",),
    "scheduler": ("scheduler",),
}
"""What a user's code may decide, in the order of spellings, and the kinds of what may decide it. All but the
last are keys of policies."""

_ROLE_OF = {"order": "order", "priority": "order", "predictor": "estimate", "scheduler": "scheduler"}
"""The role that a kind has where only its name is given."""


class CodeFaultError(InputError):
    """What a user's code did wrong in a simulation, with the index of the job and the instant, s, if any."""

    def __init__(self, message: str, job: int | None = None, time: int | None = None) -> None:
        super().__init__(message)
        self.job, self.time = job, time


@dataclass(frozen=True)
class OwnCode:
    """Which of a file's functions decide what, and the values of all their parameters."""

    file: OwnFile
    roles: tuple[tuple[str, str], ...]  # role and name, in the order of ROLES
    values: tuple[tuple[str, float], ...]  # each parameter and its value

    @property
    def names(self) -> dict[str, str]:
        """The name of what decides in each role."""
        return dict(self.roles)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of all that decides, by name."""
        return parameters_of(self.file, self.names.values())

    def declared(self, role: str) -> Declared | None:
        """What decides in a role; None where the program does."""
        name = self.names.get(role)
        return None if name is None else self.file.named(name)

    def values_of(self, declared: Declared) -> dict[str, float]:
        """The values of the parameters of one of the functions."""
        values = dict(self.values)
        return {parameter.name: values[parameter.name] for parameter in declared.parameters}

    def spelled(self, changed: Mapping[str, str]) -> str:
        """The spelling of a policy of this code; `changed` are its further keys."""
        names, parameters = self.names, self.parameters
        first = next(role for role in ROLES if role in names)
        # A role need not be spelled where the kind of the function usually has it.
        usual = _ROLE_OF[self.file.named(names[first]).kind] == first
        parts = [names[first]] if usual else [f"{first}={names[first]}"]
        parts += [f"{role}={name}" for role, name in self.roles if role != first]
        parts += [
            f"{name}={parameters[name].format(value)}"
            for name, value in self.values
            if value != parameters[name].default
        ]
        keys = {name: text for name, text in changed.items() if name not in names}
        parts += [f'{name}="{text}"' if "," in text else f"{name}={text}" for name, text in keys.items()]
        return f"{self.file.path}:{','.join(parts)}"

    @property
    def texts(self) -> dict[str, str]:
        """The value of each parameter, as policies spell it."""
        parameters = self.parameters
        return {name: parameters[name].format(value) for name, value in self.values}

    @property
    def absolute(self) -> OwnCode:
        """The same with the absolute path of the file."""
        return replace(self, file=replace(self.file, path=self.file.path.absolute()))


def own_code(file: OwnFile, names: Mapping[str, str], values: Mapping[str, str | float]) -> OwnCode:
    """The choice of what decides in each role; `values` are of its parameters. Raises InputError."""
    for role, name in names.items():
        kind = file.named(name).kind
        if kind not in ROLES[role]:
            article = "an" if kind[0] in "aeiou" else "a"
            raise InputError(f"{file.path}: {name} is {article} {kind}, which cannot be the {role}")
    parameters = parameters_of(file, names.values())
    for name in values:
        if name not in parameters:
            hint = nearest(name, parameters) or f"; its parameters are {', '.join(parameters) or 'none'}"
            raise InputError(f"{file.path}: no parameter {name!r}{hint}")
    given = {
        name: parameter.parse(str(values[name])) if name in values else parameter.default
        for name, parameter in parameters.items()
    }
    # Sorted, so that equal choices are equal in whatever order the user wrote them.
    roles = tuple((role, names[role]) for role in ROLES if role in names)
    return OwnCode(file, roles, tuple(given.items()))


def deciding(file: OwnFile) -> tuple[Declared, ...]:
    """What of a file a policy can be of: all but its metrics and quantities."""
    return tuple(each for each in file.declared if each.kind in _ROLE_OF)


def named_of_kind(file: OwnFile, kind: str, text: str) -> tuple[Declared, tuple[tuple[str, float], ...]]:
    """What `late,hours=2` names in a file, a metric or a quantity, with the values of all its parameters.

    Raises InputError with the nearest names.
    """
    name, *pairs = (part.strip() for part in text.split(","))
    names = [each.name for each in file.declared if each.kind == kind]
    if name not in names:
        plural = {"metric": "metrics", "quantity": "quantities"}[kind]
        hint = nearest(name, names) or f"; its {plural} are {', '.join(names) or 'none'}"
        raise InputError(f"{file.path}: there is no {kind} {name!r}{hint}")
    declared = file.named(name)
    known = {parameter.name: parameter for parameter in declared.parameters}
    # Parameters that are not named have their defaults.
    values = {parameter.name: parameter.default for parameter in declared.parameters}
    for pair in pairs:
        key, equals, value = (word.strip() for word in pair.partition("="))
        if key not in known or not equals:
            hint = nearest(key, known) or f"; its parameters are {', '.join(known) or 'none'}"
            raise InputError(f"{file.path}: {name} has no parameter {key!r}{hint}")
        values[key] = known[key].parse(value)
    return declared, tuple(values.items())


def usual_role(file: OwnFile, name: str) -> tuple[str, str]:
    """The role, and the name, of what is named alone; the only one of the file without a name.

    Raises InputError.
    """
    if not name:
        choices = deciding(file) or file.declared
        if len(choices) > 1:
            names = ", ".join(f"{file.path}:{each.name}" for each in choices)
            raise InputError(f"{file.path} declares several; name one of them: {names}")
        name = choices[0].name
    kind = file.named(name).kind
    if kind not in _ROLE_OF:
        use = "give it with --metric" if kind == "metric" else f"filter by {file.path}:{name}"
        raise InputError(f"{file.path}: {name} is a {kind}, which decides nothing: {use}")
    return _ROLE_OF[kind], name


def parameters_of(file: OwnFile, names: Iterable[str]) -> dict[str, Parameter]:
    """The parameters of the functions of these names: those of one name are one parameter."""
    parameters: dict[str, Parameter] = {}
    for name in dict.fromkeys(names):
        for parameter in file.named(name).parameters:
            parameters.setdefault(parameter.name, parameter)
    return parameters
