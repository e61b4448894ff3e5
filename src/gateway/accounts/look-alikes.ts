import { hash } from 'node:crypto'

/** An account by the label that it has. */
export interface Labelled {
  readonly label: string
  readonly account: string
}

/**
 * The shapes of a label: two labels look alike where they have a shape in common. Case, width, composed and separate accents, the
 * kind of a dash and the number of blanks make no other shape, and neither do letters of another script that are drawn like a Latin
 * one. The second shape is that of the label in capitals: `ν` is drawn like `v`, and its capital `Ν` like `N`.
 *
 * Labels of mixed scripts stay possible, since people write `μ-service` and `Ω team`: only one that looks like another is refused.
 * Digits stay apart from letters, so that `team-1` may stand beside `team-l`.
 */
export function shapesOf(label: string): readonly [string, string] {
  const plain = label.normalize('NFKD').replace(UNSEEN, '').replace(DASH, '-').replace(/\s+/g, ' ').trim()
  const small = drawn(plain.toLowerCase(), SMALL)
  return [small, drawn(plain.toUpperCase(), CAPITAL).toLowerCase()]
}

/** Whether one of two different labels may be taken for the other. */
export function looksLike(one: string, other: string): boolean {
  if (one === other) return false
  const shapes = new Set(shapesOf(one))
  return shapesOf(other).some(shape => shapes.has(shape))
}

/** The shapes of a label in a short form for an index, whatever the label's length. */
export const shapeHashes = (label: string): readonly [string, string] => {
  const [small, capital] = shapesOf(label)
  return [hash('sha256', small).slice(0, 32), hash('sha256', capital).slice(0, 32)]
}

const drawn = (text: string, table: ReadonlyMap<string, string>): string =>
  text.replace(OTHER_SCRIPT, letter => table.get(letter) ?? letter)

/** Characters without a shape that are letters or marks by their category. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}⠀]/gu
/** U+2212 is a minus, which no category of dashes has. */
const DASH = /[\p{Pd}−]/gu
const OTHER_SCRIPT = /[^\p{ASCII}]/gu

/** Pairs of a letter and the Latin one that it is drawn like. */
const lettersOf = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split(' ').map(pair => [...pair] as unknown as [string, string]))

/** Cyrillic, Greek, Armenian, and Latin letters without a dot or with another bow. */
const SMALL = lettersOf(
  'аa вb сc ԁd еe ɡg нh һh іi јj кk ӏl мm оo рp ԛq ѕs тt ѵv ԝw хx уy үy αa ιi κk νv οo ρp υu χx γy ωw ηn ϳj օo ոn սu հh ցg յj զq ıi ɑa ɩi',
)
const CAPITAL = lettersOf(
  'АA ВB СC ԀD ЕE ԌG НH ІI ЈJ КK ӀI МM ОO РP ԚQ ЅS ТT ѴV ԜW ХX УY ҮY ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ ՕO ՍU ՏS ԼL',
)
