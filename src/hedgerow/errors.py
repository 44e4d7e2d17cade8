"""The errors people may see: each is a sentence that says what is wrong, where, and what to do."""


class HedgerowError(ValueError):
    """Base of all errors that hedgerow raises on purpose."""


class DataError(HedgerowError):
    """The data are at fault: names file, line or column, the value, and a remedy."""


class ValueTypeError(DataError, TypeError):
    """The data hold a value of a type that no column can have; also a TypeError, as scikit-learn expects."""


class ModelError(HedgerowError):
    """A model, or a model file, cannot be read or does not fit the data.

    `absent` is a column and the level or class that it lacks, if that is what is wrong.
    """

    def __init__(self, *told: object, absent: tuple[str, str] | None = None) -> None:
        super().__init__(*told)
        self.absent = absent

    def at_line(self, number: int) -> "ModelError":
        """Return the error with the number of the line that is at fault."""
        return ModelError(f"line {number}: {self}", absent=self.absent)


class UsageError(HedgerowError):
    """The call is at fault: an unknown option, or a parameter out of its range."""


class DataWarning(UserWarning):
    """The data can be used, but hold something that people should know of."""
