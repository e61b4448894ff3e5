export interface Tokens {
  readonly accessToken: string
  readonly idToken: string
}

/** The device flow from both sides, the device's and the user's. RFC 8628. */
export async function deviceFlow(
  { issuer, clientId, audience }: { issuer: string; clientId: string; audience: string },
  user: string,
): Promise<Tokens> {
  const started = await post(`${issuer}/device/auth`, { client_id: clientId, scope: 'openid', resource: audience })
  await approve(started.verification_uri_complete ?? '', user)
  const { access_token: accessToken, id_token: idToken } = await post(`${issuer}/token`, {
    client_id: clientId,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: started.device_code ?? '',
    resource: audience,
  })
  if (!accessToken || !idToken) throw new Error('the provider gave no tokens')
  return { accessToken, idToken }
}

/** Opens the page of a user code, confirms it and signs in, as a browser does. */
export async function approve(uri: string, user: string): Promise<void> {
  const browser = new Browser(user)
  const form = await browser.open(uri)
  const confirm = { ...fieldsOf(form), confirm: 'yes' }
  const page = await browser.open(`${new URL(uri).origin}/device`, new URLSearchParams(confirm))
  if (page !== 'signed in') throw new Error(`the provider did not sign ${user} in: ${page}`)
}

async function post(url: string, form: Record<string, string>): Promise<Record<string, string | undefined>> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

const fieldsOf = (form: string): Record<string, string> =>
  Object.fromEntries([...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]))

/** Keeps cookies, follows redirects, and says who its user is. */
class Browser {
  readonly #user: string
  readonly #cookies = new Map<string, string>()

  constructor(user: string) {
    this.#user = user
  }

  async open(url: string, form?: URLSearchParams): Promise<string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-user': this.#user }
    const response = await fetch(url, { redirect: 'manual', headers, ...(form && { method: 'POST', body: form }) })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    const next = response.headers.get('location')
    return next ? this.open(new URL(next, url).href) : response.text()
  }
}
