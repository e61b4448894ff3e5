import type { EpochMs, Millis } from '../../policy/config.ts'

/** Colours a text, or leaves it unchanged. */
export const painter =
  (colour: boolean) =>
  (tone: keyof typeof TONES, text: string): string =>
    colour ? `\u001b[${TONES[tone]}m${text}\u001b[0m` : text

/** Each can be read on black and on white, which the yellow of most terminals cannot: warnings are magenta. */
const TONES = { red: '31', green: '32', warn: '35', dim: '2', bold: '1' } as const

/** Whether to colour what goes to this stream. https://no-color.org, https://force-color.org */
export function usesColour(stream: { readonly isTTY?: boolean }): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env
  // Node and chalk take these two for no.
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'
}

/** How many columns this stream has; without a terminal, or on one that does not say its width, there is no end to them. */
export const columnsOf = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  (isTTY && columns) || Number.POSITIVE_INFINITY

/** The look of texts on this stream. */
export const lookOf = (
  stream: Parameters<typeof columnsOf>[0],
): { readonly colour: boolean; readonly width: number } => ({
  colour: usesColour(stream),
  width: columnsOf(stream),
})

/** `10:02:11`, UTC. */
export function timeOfDay(at: EpochMs): string {
  const second = Math.floor(at / 1000) % 86_400
  return `${digits(second / 3600)}:${digits((second / 60) % 60)}:${digits(second % 60)}`
}

/** A moment as records have it, to the second: `2026-11-21T12:00:00Z`. */
export const withoutFraction = (moment: string): string => moment.replace(/\.\d+Z$/, 'Z')

/** A length of time in its two largest units: `41 s`, `3 min 4 s`, `7 d 20 h`. */
export function lengthOfTime(time: Millis): string {
  const seconds = Math.max(0, Math.ceil(time / 1000))
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const parts = [d && `${d} d`, h && `${h} h`, m && `${m} min`, s && `${s} s`].filter(Boolean)
  return parts.slice(0, 2).join(' ') || '0 s'
}

const DIGITS: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

const digits = (number: number): string => DIGITS[Math.floor(number)] ?? '00'
