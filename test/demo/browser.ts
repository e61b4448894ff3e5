/** A page and what can be pressed on it. */
export interface Page {
  readonly status: number
  readonly html: string
  readonly buttons: readonly string[]
}

/** A browser without scripts: it keeps cookies, follows redirects, fills no fields and presses buttons. */
export class Browser {
  readonly #cookies = new Map<string, string>()
  #url = ''
  #html = ''

  async open(url: string, form?: URLSearchParams): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = form ? { method: 'POST', body: form } : {}
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    const next = response.headers.get('location')
    if (next) return this.open(new URL(next, url).href)
    this.#url = url
    this.#html = await response.text()
    return { status: response.status, html: this.#html, buttons: buttonsOf(this.#html).map(({ text }) => text) }
  }

  /** Presses the button that says this, or begins so. */
  press(text: string): Promise<Page> {
    const button = buttonsOf(this.#html).find(one => one.text.startsWith(text))
    if (!button) throw new Error(`no button says ${text}:\n${this.#html}`)
    const hidden = [...this.#html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const form = new URLSearchParams()
    for (const [, name = '', value = ''] of hidden) form.set(name, value)
    if (button.name) form.set(button.name, button.value ?? '')
    const action = /<form[^>]* action="([^"]*)"/.exec(this.#html)?.[1] ?? ''
    return this.open(new URL(action, this.#url).href, form)
  }
}

interface Button {
  readonly text: string
  readonly name?: string | undefined
  readonly value?: string | undefined
}

const buttonsOf = (html: string): Button[] =>
  [...html.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)].map(([, attributes = '', text = '']) => ({
    text,
    name: /\bname="([^"]*)"/.exec(attributes)?.[1],
    value: /\bvalue="([^"]*)"/.exec(attributes)?.[1],
  }))

/** Signs in at the address that `svcctl login` shows, as one of the demo's users. */
export async function signInAs(user: string, uri: string): Promise<Page> {
  const browser = new Browser()
  await browser.open(uri)
  await browser.press('Continue')
  await browser.press('Yes')
  return browser.press(user)
}
