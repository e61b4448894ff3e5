import axe from 'axe-core'
import type { Page } from 'playwright-core'

const WIDTHS = [390, 1280, 1920] as const
const SCHEMES = ['light', 'dark'] as const

/** The color scheme and the width of a look. */
type Look = readonly [(typeof SCHEMES)[number], (typeof WIDTHS)[number]]

/**
 * Every page is looked at in these. A scheme changes colors alone, and what a width adds has the colors of the rest: wide windows
 * need one scheme each.
 */
export const LOOKS: readonly Look[] = [
  ['light', 390],
  ['dark', 390],
  ['dark', 1280],
  ['light', 1920],
]

/** The scheme that a look has no look of: people get a picture of it too. */
const OTHERS: Readonly<Record<string, Look[0]>> = { 'dark-1280': 'light', 'light-1920': 'dark' }

/**
 * Looks at a page by name: what is not accessible, wider than the window, cut off or empty goes to `found`. CI gets pictures of
 * it for people, in this `look` and in the other scheme of its width.
 */
export const lookAt =
  (page: Page, found: string[], look: string) =>
  async (name: string): Promise<void> => {
    await page.locator('.skeleton').waitFor({ state: 'detached' })
    const faults = [...(await violationsOf(page)), ...(await widthFaults(page)), ...(await layoutFaults(page))]
    found.push(...faults.map(each => `${name}: ${each}`))
    const folder = process.env.CI_ARTIFACTS
    const pathOf = (which: string) => `${folder}/console-${name}-${which}.png`
    const picture = await page.screenshot(folder ? { fullPage: true, path: pathOf(look) } : {})
    if (picture.length < LEAST_BYTES) found.push(`${name}: the picture is empty`)
    const other = OTHERS[look]
    if (!folder || other === undefined) return
    const [scheme, width] = look.split('-') as [Look[0], string]
    await page.emulateMedia({ colorScheme: other })
    await page.screenshot({ fullPage: true, path: pathOf(`${other}-${width}`) })
    await page.emulateMedia({ colorScheme: scheme })
  }

/** Takes pictures of a page as it is, in every look, where CI wants them. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CI_ARTIFACTS
  if (!folder) return
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/console-${name}-${colorScheme}-${width}.png` })
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** A picture of nothing but the ground is smaller. */
const LEAST_BYTES = 4000

/** Fonts are not the same on every machine, so that no more than this is compared. */
export async function widthFaults(page: Page): Promise<readonly string[]> {
  const wider = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  return wider > 0 ? [`${wider} pixels too wide`] : []
}

/**
 * Finds text that its reader cannot see whole: beyond a box that cuts it off, or beyond the cell, button or box that it is in.
 * An ellipsis is fine where the whole text is under the pointer, or a click away. Tables scroll in narrow windows alone.
 */
async function layoutFaults(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(() => {
    const found = new Set()
    const name = element => element.tagName.toLowerCase() + (element.className?.baseVal ?? element.className ? '.' + String(element.className).trim().replaceAll(' ', '.') : '')
    const dialog = document.querySelector('dialog[open]')
    const walker = document.createTreeWalker(dialog ?? document.body, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const element = text.parentElement
      if (!text.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue
      if (element.closest('.hidden, .skip, option, kbd, script, style, [role=grid]')) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      const { right, left, width } = range.getBoundingClientRect()
      if (width === 0) continue
      const words = JSON.stringify(text.data.trim().slice(0, 40))
      for (let box = element; box; box = box.parentElement) {
        const style = getComputedStyle(box)
        // Readers of screens alone get it.
        if (style.clipPath !== 'none') break
        const edge = box.getBoundingClientRect()
        const isOut = right > edge.right + 1 || left < edge.left - 1
        if (style.overflowX === 'auto' || style.overflowX === 'scroll') break
        if (style.overflowX === 'hidden' || style.overflowX === 'clip') {
          const isWhole = box.closest('[title], a, .search-hits, .who') ?? box.querySelector('[title], a')
          if (isOut && !(style.textOverflow === 'ellipsis' && isWhole)) found.add(words + ' is cut off by ' + name(box))
          break
        }
        if (isOut && box.matches('td, th, dd, dt, li, button, .button, figure, .box, .note, .cells > div'))
          found.add(words + ' sticks out of ' + name(box))
      }
    }
    if (innerWidth >= 1280)
      for (const box of document.querySelectorAll('.scroll:not(.matrix, .texts)'))
        if (box.scrollWidth > box.clientWidth + 1) found.add((box.ariaLabel ?? name(box)) + ' is ' + (box.scrollWidth - box.clientWidth) + ' pixels wider than its place')
    return [...found]
  })()`)) as readonly string[]
}

/** Those that axe calls serious or worse. The script comes by the protocol of debuggers, which no policy of a page concerns. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: readonly {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

/** A page uses the room that it has, and no sentence of it is longer than an eye follows. */
export async function measureFaults(page: Page): Promise<readonly string[]> {
  const widths = (await page.evaluate(`({
    unused: document.querySelector('.main').clientWidth - document.querySelector('main').getBoundingClientRect().width,
    longest: Math.max(0, ...[...document.querySelectorAll('main p')].map(each => {
      const range = document.createRange()
      range.selectNodeContents(each)
      return range.getBoundingClientRect().width
    })),
  })`)) as { readonly unused: number; readonly longest: number }
  return [
    ...(widths.unused > 1 ? [`${widths.unused} pixels beside the page are unused`] : []),
    ...(widths.longest > MOST_MEASURE ? [`a text is ${widths.longest} pixels wide`] : []),
  ]
}

/** Some 130 letters of 13 pixels. */
const MOST_MEASURE = 860
