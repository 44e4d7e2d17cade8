"""The errors people may see: each is a sentence that says what is wrong, where, and what to do."""


class HedgerowError(ValueError):
    """Base class of all errors that hedgerow raises deliberately."""


class DataError(HedgerowError):
    """An error in the data: names the file, line or column, the value, and a remedy."""


class ValueTypeError(DataError, TypeError):
    """The data hold a value of a type that no column can have; also a TypeError, as scikit-learn expects."""


class ModelError(HedgerowError):
    """A model or model file cannot be read, or does not match the data.

    `absent` is a column and the level or class that it lacks, if that is the cause.
    """

    def __init__(self, *told: object, absent: tuple[str, str] | None = None) -> None:
        super().__init__(*told)
        self.absent = absent

    def at_line(self, number: int) -> "ModelError":
        """Return the error with the number of the line that caused it."""
        return ModelError(f"line {number}: {self}", absent=self.absent)


class UsageError(HedgerowError):
    """An error in the call: an unknown option, or a parameter out of its range."""


class DataWarning(UserWarning):
    """A warning about data that can be used, but need attention."""
