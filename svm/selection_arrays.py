"""What the kernels of selection problems read: the examples as flat arrays, and where weights stand."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Bytes, Ints, Longs


class SelectionArrays(NamedTuple):
    """One argument for every kernel; see SelectionExamples for the shapes.

    A weight of item attribute p in block b is ``b * item_block + p``; behind the attributes of a block come
    ``n_products`` weights for pairs of attributes of two profiles, then those for differences of positions.
    A pair of attributes p and q of one group has the weight ``product_start[p] + q`` of these:
    product_start already holds the group's base and offset.
    """

    has_cases: bool
    has_profiles: bool
    must_link: bool
    n_items: Ints
    item_ptr: Longs
    item_ids: Ints
    n_item_attributes: int
    pair_ptr: Longs
    pair_ids: Ints
    n_pair_attributes: int
    items: Ints
    item_start: Longs
    pairs: Ints
    pair_start: Longs
    profile_ptr: Longs
    profile_ids: Ints
    profile_group: Ints  # [attributes]
    product_start: Longs  # [attributes]
    n_groups: int
    n_products: int
    profiles: Ints
    profile_start: Longs
    query: Ints
    link_ptr: Longs
    link_ids: Ints
    n_links: int
    difference_ptr: Longs
    difference_ids: Ints
    reach: int  # differences beyond ± reach fall into one row each
    chain: Bytes
    size_kind: Ints
    size_ptr: Longs
    size_ids: Ints
    sizes: Bytes
    item_block: int  # weights of one block of items
    pair_block: int  # weights of one block of pairs
    pair_base: int  # where the blocks of pairs begin
    size_base: int  # where the weights of sizes begin
