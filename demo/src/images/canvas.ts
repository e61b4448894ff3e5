/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** A picture in memory: rows from the top, three bytes for each pixel. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** A black canvas. */
export const blank = ({ width, height }: { width: number; height: number }): Canvas => ({
  width,
  height,
  pixels: new Uint8Array(width * height * 3),
})

/** Lays a colour over a pixel, from not at all (0) to fully (1). Outside the canvas nothing happens. */
export function lay({ width, height, pixels }: Canvas, x: number, y: number, colour: Colour, cover: number): void {
  if (x < 0 || y < 0 || x >= width || y >= height || cover <= 0) return
  const at = (y * width + x) * 3
  for (let channel = 0; channel < 3; channel++) {
    const below = pixels[at + channel] ?? 0
    pixels[at + channel] = Math.round(below + ((colour[channel] ?? 0) - below) * Math.min(cover, 1))
  }
}

/** The colour of a hue (in turns), a saturation and a lightness (both 0 to 1). */
export function hsl(hue: number, saturation: number, lightness: number): Colour {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const k = (offset + (((hue % 1) + 1) % 1) * 12) % 12
    return 255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return [channel(0), channel(8), channel(4)]
}

/** The colour between two, from the first (0) to the second (1). */
export const between = (from: Colour, to: Colour, share: number): Colour => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
]
