import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('../../console/src/shared/tokens.css', import.meta.url), 'utf8')
const colors = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
)

const TEXTS = ['text', 'muted', 'accent', 'ok', 'warn', 'bad']
const GROUNDS = ['bg', 'sunken', 'raised', 'hover', 'soft-accent', 'soft-warn', 'soft-bad']
const SERIES = [...colors.keys()].filter(name => name.startsWith('series-'))

/** Axe measures texts of elements; the texts and lines of charts are measured by nothing else. */
describe.each(['light', 'dark'] as const)('the colors of the %s theme', theme => {
  const faults = (names: readonly string[], grounds: readonly string[], least: number) =>
    names.flatMap(name =>
      grounds.flatMap(ground => {
        const ratio = contrast(colorOf(name, theme), colorOf(ground, theme))
        return ratio < least ? [`${name} on ${ground}: ${ratio.toFixed(2)}`] : []
      }),
    )

  it('give every text a contrast of 4.5 on every ground', () => {
    expect(faults(TEXTS, GROUNDS, 4.5)).toEqual([])
  })

  it('give every series, meter and border of a field a contrast of 3 where it is drawn', () => {
    expect(faults([...SERIES, 'line-strong', 'accent', 'warn', 'bad'], ['bg', 'raised'], 3)).toEqual([])
  })

  it('are one of these kinds, so that a new one is measured', () => {
    expect([...colors.keys()].sort()).toEqual([...TEXTS, ...GROUNDS, ...SERIES, 'line', 'line-strong'].sort())
  })
})

const colorOf = (name: string, theme: 'light' | 'dark'): string => colors.get(name)?.[theme] ?? ''

/** As WCAG 2 defines it: 1 to 21. */
function contrast(a: string, b: string): number {
  const [bright = 0, dim = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (bright + 0.05) / (dim + 0.05)
}

function luminance(hex: string): number {
  const digits = hex.length === 4 ? hex.replaceAll(/[^#]/g, '$&$&') : hex
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
