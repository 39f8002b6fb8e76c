/** Which slots of a phrase may claim the same word of a text. */

/**
 * Groups of slots with terms in common, each in the order of the phrase. Two slots at the same place do not claim a
 * word from each other.
 * @param slots numbers of the terms of each slot
 * @param offsets place of each slot in the phrase, ascending
 */
export function repeatedSlots(slots: readonly (readonly number[])[], offsets: Int32Array): Int32Array[] {
  const users = new Map<number, number[]>()
  slots.forEach((terms, slot) => {
    for (const term of new Set(terms)) append(users, term, slot)
  })
  const shared = [...users.values()].filter((list) => list.length > 1)
  if (shared.every((list) => list.every((slot) => slots[slot]!.length === 1))) {
    return shared.map((list) => claimants(list, offsets)).filter((group) => group.length > 1)
  }
  return connected(shared, slots.length)
}

/** Of slots with one and the same word: the first, and those that are at other places than it. */
function claimants(list: readonly number[], offsets: Int32Array): Int32Array {
  return Int32Array.from(list.filter((slot, i) => i === 0 || offsets[slot] !== offsets[list[0]!]))
}

/** Joins lists that have a slot in common. */
function connected(lists: readonly (readonly number[])[], size: number): Int32Array[] {
  const root = Int32Array.from({ length: size }, (_, slot) => slot)
  const find = (slot: number): number => {
    while (root[slot] !== slot) slot = root[slot]!
    return slot
  }
  for (const list of lists) for (const slot of list) root[find(slot)] = find(list[0]!)
  const groups = new Map<number, number[]>()
  for (const slot of [...new Set(lists.flat())].sort((a, b) => a - b)) {
    append(groups, find(slot), slot)
  }
  return [...groups.values()].map((group) => Int32Array.from(group))
}

function append(lists: Map<number, number[]>, key: number, slot: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [slot])
  else list.push(slot)
}
