/** Each can be read on black and on white, which the yellow of most terminals cannot: warnings are magenta. */
const TONES = { red: '31', green: '32', warn: '35', dim: '2', bold: '1' } as const

/** Colours a text, or leaves it as it is. */
export const painter =
  (colour: boolean) =>
  (tone: keyof typeof TONES, text: string): string =>
    colour ? `\u001b[${TONES[tone]}m${text}\u001b[0m` : text

/** Whether to colour what goes to this stream. https://no-color.org */
export const usesColour = (stream: { readonly isTTY?: boolean }): boolean =>
  process.env.FORCE_COLOR ? true : stream.isTTY === true && !process.env.NO_COLOR
