import { hash } from 'node:crypto'

/** An account and its label. */
export interface Labelled {
  readonly label: string
  readonly account: string
}

/**
 * The shapes of a label: two labels look alike if they share one. Case, width, composed or separate accents, the kind
 * of dash, and the number of blanks do not change a shape, and neither do letters of another script that are drawn like
 * a Latin one. The second shape is that of the label in capitals: `ν` is drawn like `v`, but its capital `Ν` like `N`.
 * Labels of mixed scripts stay possible, since people write `μ-service` and `Ω team`: only a label that looks like an
 * existing one is refused. Digits differ from letters, so that `team-1` and `team-l` can coexist.
 */
export function shapesOf(label: string): readonly [string, string] {
  const plain = label.normalize('NFKD').replace(UNSEEN, '').replace(DASH, '-').replace(/\s+/g, ' ').trim()
  const small = drawn(plain.toLowerCase(), SMALL)
  return [small, drawn(plain.toUpperCase(), CAPITAL).toLowerCase()]
}

/** Whether two different labels can be mistaken for each other. */
export function looksLike(one: string, other: string): boolean {
  if (one === other) return false
  const shapes = new Set(shapesOf(one))
  return shapesOf(other).some(shape => shapes.has(shape))
}

/** Short hashes of a label's shapes for an index, of a fixed length. */
export const shapeHashes = (label: string): readonly [string, string] => {
  const [small, capital] = shapesOf(label)
  return [hash('sha256', small).slice(0, 32), hash('sha256', capital).slice(0, 32)]
}

const drawn = (text: string, table: ReadonlyMap<string, string>): string =>
  text.replace(OTHER_SCRIPT, letter => table.get(letter) ?? letter)

/** Invisible characters that count as letters or marks. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}⠀]/gu
/** U+2212 is a minus sign, which is in no category of dashes. */
const DASH = /[\p{Pd}−]/gu
const OTHER_SCRIPT = /[^\p{ASCII}]/gu

/** Maps each letter to the Latin one that it is drawn like, from pairs. */
const lettersOf = (pairs: string): ReadonlyMap<string, string> =>
  new Map(pairs.split(' ').map(pair => [...pair] as unknown as [string, string]))

/** Cyrillic, Greek and Armenian letters, and Latin variants without a dot or with another bow. */
const SMALL = lettersOf(
  'аa вb сc ԁd еe ɡg нh һh іi јj кk ӏl мm оo рp ԛq ѕs тt ѵv ԝw хx уy үy αa ιi κk νv οo ρp υu χx γy ωw ηn ϳj օo ոn սu հh ցg յj զq ıi ɑa ɩi',
)
const CAPITAL = lettersOf(
  'АA ВB СC ԀD ЕE ԌG НH ІI ЈJ КK ӀI МM ОO РP ԚQ ЅS ТT ѴV ԜW ХX УY ҮY ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ ՕO ՍU ՏS ԼL',
)
