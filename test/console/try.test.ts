import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { json, sse, stream } from '../support/backend.ts'
import { signIn, type Window } from './chromium.ts'
import { describeConsole } from './rig.ts'
import type { Site } from './site.ts'

describeConsole('trying models in the console', { door: 'public' }, rig => {
  let site: Site
  let window: Window
  let page: Page
  beforeEach(() => {
    ;({ site, window, page } = rig())
  })

  const enter = async (user: string) => {
    await page.goto(`${site.url}/console/try`)
    await signIn(page, user)
    await page.getByLabel('Message').waitFor()
  }
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text)
    await page.keyboard.press('Enter')
  }
  const chats = () => site.log.filter(({ path }) => path === '/v1/chat/completions')
  const facts = (at: number) => page.locator('.facts-line').nth(at)
  const withoutRefusals = () => {
    // Chromium reports each status of 400 and more.
    window.faults.splice(0, window.faults.length, ...window.faults.filter(each => !each.includes('status of 4')))
  }

  it('streams the answer to its end, which is 200 in the log, and says what it was and cost', async () => {
    site.backend.always(
      stream({
        chunks: ['Hello ', 'there'],
        gapMs: 5,
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      }),
    )
    await enter('ada')
    await say('Hi')
    await facts(0).getByText('$0.0000021').waitFor()

    expect(await page.locator('.turns').textContent()).toContain('Hello there')
    const shown = await facts(0).textContent()
    for (const fact of ['onprem', /first text [\d,]+ ms/, '9 in, 3 out', /req_\w{26}/]) expect(shown).toMatch(fact)
    await say('And again')
    await facts(1).waitFor()
    expect(chats().map(({ status, interrupted }) => [status, interrupted])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    expect(site.backend.requests.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello there' },
      { role: 'user', content: 'And again' },
    ])
  })

  it('stops an answer by Esc, which the log has as 499', async () => {
    site.backend.always(stream({ chunks: Array.from({ length: 500 }, (_, at) => `word${at} `), gapMs: 20 }))
    await enter('ada')
    await say('Go on')
    await page.getByText('word3').waitFor()

    await page.keyboard.press('Escape')
    await page.getByText('Stopped.').waitFor()

    await expect.poll(() => chats().map(({ status }) => status)).toEqual([499])
    expect(await page.locator('.turns').textContent()).toContain('word3')
  })

  it('shows an answer that breaks off as it is, and why', async () => {
    const text =
      'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Half of"},"finish_reason":null}]}\n\n'
    site.backend.always(sse(text))
    await enter('ada')
    await say('Hi')

    await page.locator('.turns').getByRole('alert').waitFor()
    expect(await page.locator('.turns').textContent()).toContain('Half of')
  })

  it('gives the text back where it was refused, and says what to do', async () => {
    await site.reload(yaml => yaml.replace('monthly_usd: 1 }', 'monthly_usd: 0.000001 }'))
    await enter('bob')
    expect(await page.getByRole('option', { name: 'svc-pro (not in your plan)' }).isDisabled()).toBe(true)
    await say('Hi')

    const refusal = page.getByRole('alert')
    await refusal.getByText('What to do').waitFor()
    expect(await refusal.textContent()).toContain('of the monthly quota remain')
    expect(await page.getByLabel('Message').inputValue()).toBe('Hi')
    expect(await page.locator('.turns li:not(.hint)').count()).toBe(0)
    withoutRefusals()
  })

  it('sends what the settings say, and a new line is one', async () => {
    site.backend.always(stream({ chunks: [{ reasoning_content: 'Hm.' }, 'Yes'] }))
    await enter('ada')
    await page.getByLabel('Model').selectOption('svc-think')
    await page.getByLabel('System prompt').fill('Be brief')
    await page.getByLabel('Max output tokens').fill('2000')
    await page.getByLabel('Temperature').fill('0.2')
    await page.getByLabel('Think before the answer').check()
    await page.getByLabel('calculator').check()
    await page.getByLabel('Message').fill('one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await facts(0).waitFor()

    expect(site.backend.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'one\ntwo' },
      ],
      max_tokens: 2000,
      temperature: 0.2,
      tools: [{ function: { name: 'calculator' } }],
      chat_template_kwargs: { enable_thinking: true },
    })
    await page.getByText('Thoughts').click()
    await page.getByText('Hm.').waitFor()
  })

  it('shows answers as text, whatever they are', async () => {
    const hostile = '<img src=x onerror=alert(1)> **bold** [a](javascript:alert(1)) \u202Eesrever\u202C '
    site.backend.always(stream({ chunks: [hostile, 'x'.repeat(200)] }))
    await page.setViewportSize({ width: 390, height: 800 })
    await enter('ada')
    await say(hostile)
    await facts(0).waitFor()

    expect(await page.locator('img, .turns a, .turns strong').count()).toBe(0)
    expect(await page.locator('.turns').textContent()).toContain('<img src=x onerror=alert(1)> **bold**')
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
  })

  it('makes pictures in the size that was chosen', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    site.backend.always(json({ created: 1, data: [{ b64_json: pixel }] }))
    await enter('ada')
    await page.getByRole('tab', { name: 'Images' }).click()
    await page.getByLabel('Describe the picture').fill('Hills')
    await page.getByLabel('Size').selectOption('1024x1024')
    await page.getByRole('button', { name: 'Make it' }).click()

    await page.getByRole('img', { name: 'Hills' }).waitFor()
    await facts(0).getByText('$0.02').waitFor()
    expect(site.backend.requests.at(-1)?.body).toMatchObject({ prompt: 'Hills', size: '1024x1024' })
    expect(await page.evaluate('document.querySelector(".pictures img").naturalWidth')).toBe(1)
  })
})
