import { hash, randomFrom } from '../hash.ts'
import { between, blank, type Canvas, type Colour, hsl, lay } from './canvas.ts'
import { ADVANCE, HEIGHT, write } from './lettering.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/**
 * A landscape under a sun, the same one for the same prompt and index at every size, with a band that says DEMO and
 * the prompt, so that it cannot be taken for a model's image.
 */
export function paint(prompt: string, index: number, size: Size): Canvas {
  const random = randomFrom(hash(`${index} ${prompt}`))
  const canvas = blank(size)
  const hue = random()
  paintSky(canvas, hsl(hue, 0.6, 0.3), hsl(hue + 0.12, 0.75, 0.78))
  const sun = { x: 0.2 + 0.6 * random(), y: 0.15 + 0.3 * random(), radius: 0.06 + 0.07 * random() }
  paintSun(canvas, sun, hsl(hue + 0.15, 0.95, 0.88))
  const hills = 3 + Math.floor(random() * 3)
  for (let i = 0; i < hills; i++) {
    const near = i / (hills - 1)
    const colour = hsl(hue + 0.45 + 0.1 * near, 0.3 + 0.2 * near, 0.62 - 0.48 * near)
    paintHill(canvas, ridgeFrom(random, 0.5 + 0.35 * near), colour)
  }
  paintBand(canvas, `DEMO: ${prompt}`)
  return canvas
}

function paintSky(canvas: Canvas, top: Colour, horizon: Colour): void {
  for (let y = 0; y < canvas.height; y++) {
    const colour = between(top, horizon, Math.min(1, y / canvas.height / 0.7))
    for (let x = 0; x < canvas.width; x++) lay(canvas, x, y, colour, 1)
  }
}

/** A disc with a glow; the place in shares of width and height, the radius in shares of the shorter side. */
function paintSun(canvas: Canvas, sun: { x: number; y: number; radius: number }, colour: Colour): void {
  const { width, height } = canvas
  const radius = sun.radius * Math.min(width, height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(x - sun.x * width, y - sun.y * height)
      const glow = 0.55 * Math.max(0, 1 - distance / (radius * 5)) ** 2
      // Half a pixel of both, so that the edge is smooth.
      lay(canvas, x, y, colour, Math.max(glow, radius - distance + 0.5))
    }
  }
}

/** The height of a ridge over the width, both in shares of the canvas: a few waves, longer ones higher. */
type Ridge = (x: number) => number

function ridgeFrom(random: () => number, middle: number): Ridge {
  const waves = [1.5, 3.5, 8, 21].map(frequency => ({
    frequency: frequency * (0.7 + 0.6 * random()),
    phase: 2 * Math.PI * random(),
    height: (0.11 / frequency) * (0.5 + random()),
  }))
  const wave =
    (x: number) =>
    (sum: number, { frequency, phase, height }: (typeof waves)[number]) =>
      sum + height * Math.sin(2 * Math.PI * frequency * x + phase)
  return x => waves.reduce(wave(x), middle)
}

function paintHill(canvas: Canvas, ridge: Ridge, colour: Colour): void {
  for (let x = 0; x < canvas.width; x++) {
    const top = ridge(x / canvas.width) * canvas.height
    for (let y = Math.max(0, Math.floor(top)); y < canvas.height; y++) lay(canvas, x, y, colour, y + 1 - top)
  }
}

const PAPER: Colour = [12, 12, 16]
const INK: Colour = [255, 255, 255]

function paintBand(canvas: Canvas, words: string): void {
  const scale = Math.max(1, Math.floor(Math.min(canvas.width, canvas.height) / 160))
  const top = canvas.height - (HEIGHT + 4) * scale
  for (let y = top; y < canvas.height; y++) for (let x = 0; x < canvas.width; x++) lay(canvas, x, y, PAPER, 0.75)
  const fitting = Math.floor(canvas.width / (ADVANCE * scale))
  write(canvas, words.slice(0, fitting), { x: scale, y: top + 2 * scale, scale, colour: INK })
}
