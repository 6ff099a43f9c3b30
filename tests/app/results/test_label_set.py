import pytest

from babi_cascade.app.results.label_set import is_right, labels_of

ROOMS = labels_of(["Kitchen", "garden", "office", "hallway"])


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("The kitchen.", True),
        ("kitchen", True),
        ("It is in the KITCHEN now. Before that, the garden.", True),
        ("The kitchen or the garden", False),
        ("garden", False),
        ("", False),
        ("Kitchen<example> garden", True),
        ("From the hallway to the kitchen", True),  # the question has the hallway
    ],
)
def test_exactly_the_target_is_named_in_the_first_sentence(said, right):
    assert is_right("kitchen", said, "Where was it before the hallway?", ROOMS) is right


def test_of_a_list_all_items_and_no_other():
    labels = labels_of(["milk,apple", "football", "nothing"])
    assert is_right("milk,apple", "Apple and milk.", "What is she carrying?", labels)
    assert not is_right("milk,apple", "Apple.", "What is she carrying?", labels)
    assert not is_right("milk", "Apple and milk.", "What is she carrying?", labels)
