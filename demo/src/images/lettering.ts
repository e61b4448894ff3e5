import { type Canvas, type Colour, lay } from './canvas.ts'

/** Each sign as five rows of three pixels, a row one octal digit. */
const FONT: Readonly<Record<string, string>> = {
  A: '25755',
  B: '65656',
  C: '34443',
  D: '65556',
  E: '74647',
  F: '74644',
  G: '34553',
  H: '55755',
  I: '72227',
  J: '11152',
  K: '55655',
  L: '44447',
  M: '57755',
  N: '65555',
  O: '25552',
  P: '65644',
  Q: '25563',
  R: '65655',
  S: '34216',
  T: '72222',
  U: '55557',
  V: '55552',
  W: '55775',
  X: '55255',
  Y: '55222',
  Z: '71247',
  0: '75557',
  1: '26227',
  2: '61247',
  3: '61216',
  4: '55711',
  5: '74616',
  6: '34757',
  7: '71222',
  8: '75757',
  9: '75716',
  ':': '02020',
  '.': '00002',
  ',': '00024',
  '-': '00700',
  '!': '22202',
  '?': '61202',
  "'": '22000',
  ' ': '00000',
}
const UNKNOWN = '77777'

/** Pixels from one sign to the next, and the height of a sign, before scaling. */
export const ADVANCE = 4
export const HEIGHT = 5

/** Writes a text in capitals, each pixel of a sign `scale` wide and high; signs the font lacks become blocks. */
export function write(
  canvas: Canvas,
  text: string,
  { x, y, scale, colour }: { x: number; y: number; scale: number; colour: Colour },
): void {
  for (const [at, sign] of [...plain(text)].entries()) {
    for (const [row, digit] of [...(FONT[sign] ?? UNKNOWN)].entries()) {
      for (let column = 0; column < 3; column++) {
        if ((Number(digit) >> (2 - column)) % 2 === 0) continue
        block(canvas, x + (at * ADVANCE + column) * scale, y + row * scale, scale, colour)
      }
    }
  }
}

/** Capitals without accents, one space where there was any white space. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').toUpperCase()

function block(canvas: Canvas, left: number, top: number, size: number, colour: Colour): void {
  for (let y = top; y < top + size; y++) for (let x = left; x < left + size; x++) lay(canvas, x, y, colour, 1)
}
