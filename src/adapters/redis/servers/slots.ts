/** The slot of a cluster that a key lies in: that of what stands in its first braces, where anything does. */
export function slotOf(key: string): number {
  const from = key.indexOf('{')
  const to = from < 0 ? -1 : key.indexOf('}', from + 1)
  return crcOf(to > from + 1 ? key.slice(from + 1, to) : key) % SLOTS
}

export const SLOTS = 16_384

/** A word that lies in one of some slots between braces; undefined where there are none. */
export function tagIn(slots: ReadonlySet<number>): string | undefined {
  if (slots.size === 0) return undefined
  // Some of the first hundred thousand words lie in each slot.
  for (let number = 0; number < 1_000_000; number++) if (slots.has(crcOf(String(number)) % SLOTS)) return String(number)
  return undefined
}

/** CRC-16 of the XMODEM protocol, as Redis uses it. */
function crcOf(text: string): number {
  let crc = 0
  for (const byte of Buffer.from(text)) crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff
  return crc
}

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  return crc & 0xffff
})
