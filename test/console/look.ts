import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Looks at a page by name: what is not accessible or wider than the window goes to `found`. CI gets a picture of it, in
 * this `look`, for people.
 */
export const lookAt =
  (page: Page, found: string[], look: string) =>
  async (name: string): Promise<void> => {
    found.push(...(await violationsOf(page)).map(each => `${name}: ${each}`))
    const scrolled = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    if (Number(scrolled) > 0) found.push(`${name}: ${scrolled} pixels too wide`)
    const folder = process.env.CI_ARTIFACTS
    if (folder) await page.screenshot({ path: `${folder}/console-${name}-${look}.png` })
  }

/** Those that axe calls serious or worse. The script comes by the protocol of debuggers, which no policy of a page concerns. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
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
