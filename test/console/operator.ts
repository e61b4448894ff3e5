import type { Page } from 'playwright-core'
import type { Site } from './site.ts'

/** Opens the console as an operator, by a link as `svcctl console` prints it; its address, which is used up. */
export async function openAsOperator({ admin, gateway }: Site, page: Page): Promise<string> {
  const { value } = gateway.app.sessions.issueCode({ by: 'operator ada@desk', proof: 'token' })
  const link = `${admin}/console#code=${value}`
  await page.goto(link)
  await page.getByText('operator ada@desk').waitFor()
  return link
}

/** Goes to a page by its two keys. They are sent together, since the browser must get the second within a second. */
export async function goTo(page: Page, key: string): Promise<void> {
  await Promise.all(['g', key].map(each => page.keyboard.press(each)))
}
