/** A digest of a text in 32 bits, for places that are compared and never kept. */
export function digest32(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return scrambled(hash)
}

/**
 * The weight of a place for a key: the place with the highest weight is the key's own. When a place goes, only its keys
 * move. Highest random weight; Thaler and Ravishankar, 1998.
 */
export const weightOf = (key: number, place: number): number =>
  scrambled(Math.imul(key ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(place + 0x7f4a7c15, 0xc2b2ae35))

function scrambled(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}
