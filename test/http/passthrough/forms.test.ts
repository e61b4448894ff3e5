import http from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { post, startPassing } from './fixture.ts'

const UPLOAD = '/v1/audio/transcriptions'
const TYPE = 'multipart/form-data; boundary=b0undary'
const HEAD = 'Content-Disposition: form-data; name='

let onprem: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  onprem = await startBackend()
  onprem.always(json({ text: 'ok' }))
  test = await startPassing({ onprem: [onprem] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await onprem.close()
})

const part = (head: string, value: string) => `--b0undary\r\n${head}\r\n\r\n${value}\r\n`
const form = (...parts: string[]) => `${parts.join('')}--b0undary--\r\n`
const file = (value: string) => part(`${HEAD}"file"; filename="a.wav"\r\nContent-Type: audio/wav`, value)
const model = (value: string, head = `${HEAD}"model"`) => part(head, value)
const send = (body: string | Uint8Array, type = TYPE) => post(test, UPLOAD, { key, body, type })

async function told(body: string, type?: string): Promise<string> {
  const response = await send(body, type)
  const answer = (await response.json()) as { code?: string; error?: string }
  return `${response.status} ${answer.code ?? ''} ${answer.error ?? ''}`
}

describe('the model of a form', () => {
  it.each([
    ['by its name', model('svc-voice')],
    ['by an alias', model('svc-voice-latest')],
    ['as .NET writes it', model('svc-voice', `Content-Type: text/plain; charset=utf-8\r\n${HEAD}model`)],
    ['as OkHttp writes it', model('svc-voice', `${HEAD}"model"\r\nContent-Length: 9`)],
  ])('%s is the pool’s own for the backend', async (_name, said) => {
    expect(await told(form(file('RIFF'), said))).toMatch(/^200/)

    expect(onprem.requests).toMatchObject([{ rawBody: form(file('RIFF'), model('test-model')) }])
    expect(onprem.requests[0]?.headers['content-length']).toBe(String(onprem.requests[0]?.rawBody.length))
    expect(await test.ledger()).toMatchObject([{ model: 'svc-voice', cost: 20_000_000 }])
  })

  it('is added where a form has none', async () => {
    expect(await told(form(file('RIFF')))).toMatch(/^200/)
    expect(await told(form())).toMatch(/^200/)

    expect(onprem.requests.map(({ rawBody }) => rawBody)).toEqual([
      form(file('RIFF'), model('test-model')),
      form(model('test-model')),
    ])
  })

  it.each(['svc-rank', 'whisper-1', '', ' svc-voice', 'SVC-VOICE', 'test-model', 'svc-voice\0', 'x'.repeat(257)])(
    'that is another, such as %j, is refused as in JSON, and nobody pays',
    async name => {
      expect(await told(form(file('RIFF'), model(name)))).toMatch(/^400 VALIDATION_ERROR model: /)
      expect([onprem.requests, await test.ledger()]).toEqual([[], []])
    },
  )
})

/** Forms that two readers could take differently, or one for another. */
const CRAFTED: Readonly<Record<string, string>> = {
  'two models': form(model('svc-voice'), model('svc-voice')),
  'two models, one of them bare': form(model('svc-voice'), model('other', `${HEAD}model`)),
  'a model that is a file': form(model('svc-voice', `${HEAD}"model"; filename="m"`)),
  'a model with an empty file name': form(model('svc-voice', `${HEAD}"model"; filename=""`)),
  'a model with an extended file name': form(model('svc-voice', `${HEAD}"model"; filename*=utf-8''m`)),
  'a model in base64': form(model('c3ZjLXZvaWNl', `${HEAD}"model"\r\nContent-Transfer-Encoding: base64`)),
  'a model that says it is not encoded': form(model('svc-voice', `${HEAD}"model"\r\nContent-Transfer-Encoding: 8bit`)),
  'a model in another charset': form(model('svc-voice', `${HEAD}"model"\r\nContent-Type: text/plain; charset=utf-16`)),
  'a model that is JSON': form(model('svc-voice', `${HEAD}"model"\r\nContent-Type: application/json`)),
  'an escaped name': form(model('other', `${HEAD}"mod\\el"`)),
  'an encoded name': form(model('other', `${HEAD}"mod%65l"`)),
  'a name in quotes of its own': form(model('other', `${HEAD}"\\"model\\""`)),
  'a name in single quotes': form(model('other', `${HEAD}'model'`)),
  'an extended name': form(model('other', `Content-Disposition: form-data; name*=utf-8''model`)),
  'a name and an extended name': form(model('other', `${HEAD}"x"; name*=utf-8''model`)),
  'a continued name': form(model('other', `Content-Disposition: form-data; name*0="mo"; name*1="del"`)),
  'two names': form(model('other', `${HEAD}"x"; name="model"`)),
  'a name after a file name': form(model('other', 'Content-Disposition: form-data; filename="model"; name="x"')),
  'a name in a file name': form(model('other', `${HEAD}"x"; filename="a;name=model;b"`)),
  'a name behind an escaped quote': form(model('other', `${HEAD}"x"; filename="a\\"; name=\\"model\\""`)),
  'another parameter': form(model('other', `${HEAD}"x"; field="model"`)),
  'no name': form(model('other', 'Content-Disposition: form-data')),
  'another disposition': form(model('other', 'Content-Disposition: attachment; name="model"')),
  'no disposition': form(model('other', 'Content-Type: text/plain')),
  'no headers': form(part('', 'other')),
  'a name in another header': form(model('other', `Content-Type: text/plain; name="model"\r\n${HEAD}"x"`)),
  'two dispositions': form(model('other', `${HEAD}"x"\r\n${HEAD}"model"`)),
  'a blank before the colon': form(model('other', 'Content-Disposition : form-data; name="model"')),
  'a folded header': form(model('other', 'Content-Disposition: form-data;\r\n name="model"')),
  'a bare line feed in a header': form(model('other', `${HEAD}"x"\n${HEAD}"model"`)),
  'a bare carriage return in a header': form(model('other', `${HEAD}"x"\r${HEAD}"model"`)),
  'a NUL in a name': form(model('other', `${HEAD}"model\0"`)),
  capitals: form(model('other', `${HEAD}"Model"`)),
  'a list of models': form(model('other', `${HEAD}"model[]"`)),
  'a member of a model': form(model('other', `${HEAD}"model[0]"`)),
  'a model in brackets': form(model('other', `${HEAD}"[model]"`)),
  'blanks around the name': form(model('other', `${HEAD}" model "`)),
  'a form within': form(part(`${HEAD}"x"\r\nContent-Type: multipart/mixed; boundary=y`, '--y--')),
  'headers of 17 KB': form(part(`${HEAD}"x"\r\nX-A: ${'a'.repeat(17_000)}`, 'x')),
  'a part of another length than it says': form(part(`${HEAD}"x"\r\nContent-Length: 400`, 'x')),
  'something before it': `x\r\n${form(model('svc-voice'))}`,
  'an empty line before it': `\r\n${form(model('svc-voice'))}`,
  'something after it': `${form(model('svc-voice'))}--b0undary\r\n${HEAD}"model"\r\n\r\nother\r\n--b0undary--`,
  'no end': form(model('svc-voice')).replace('--b0undary--\r\n', ''),
  'half an end': form(model('svc-voice')).replace('y--\r\n', 'y-'),
  nothing: '',
  'line feeds for ends of lines': form(model('svc-voice')).replaceAll('\r\n', '\n'),
  'a delimiter after a bare line feed': form(file(`x\n--b0undary\n${HEAD}"model"\n\nother`)),
  'a delimiter in a line': form(file(`x--b0undary\r\n${HEAD}"model"\r\n\r\nother`)),
  'a delimiter with blanks behind it': form(file(`x\r\n--b0undary \r\n${HEAD}"model"\r\n\r\nother`)),
  'a delimiter that goes on': form(file(`x\r\n--b0undaryx\r\n${HEAD}"model"\r\n\r\nother`)),
  'a delimiter right after the headers': `--b0undary\r\n${HEAD}"x"\r\n\r\n${form(model('svc-voice'))}`,
}

describe('a form with', () => {
  it.each(Object.entries(CRAFTED))(
    '%s is refused before a backend gets any of it, and nobody pays',
    async (_, body) => {
      expect(await told(body)).toMatch(/^400 VALIDATION_ERROR (?:form|model): /)
      expect([onprem.requests, onprem.accepted, await test.ledger()]).toEqual([[], 0, []])
    },
  )

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary="b0undary "',
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
    'multipart/form-data; boundary=b0undary; boundary=x',
    'multipart/form-data; boundary=b0undary; charset=utf-8',
    'multipart/form-data; charset=utf-8; boundary=b0undary',
  ])('the content type %s is refused', async type => {
    expect(await told(form(model('svc-voice')), type)).toMatch(/^400 VALIDATION_ERROR content-type: /)
    expect(onprem.requests).toEqual([])
  })

  it('a boundary in quotes is sent as every reader finds it', async () => {
    await send(form(model('svc-voice')), 'Multipart/Form-Data; Boundary="b0undary"')
    await send(form(model('svc-voice')).replaceAll('b0undary', '=_a:b'), 'multipart/form-data; boundary==_a:b')

    const types = onprem.requests.map(({ headers }) => headers['content-type'])
    expect(types).toEqual([TYPE, 'multipart/form-data; boundary="=_a:b"'])
  })
})

describe('what is found wrong later than in the first 16 KB', () => {
  const large = 'x'.repeat(200_000)

  it.each([
    ['another model', form(file(large), model('other')), /^400 VALIDATION_ERROR model: /],
    ['a second model', form(model('svc-voice'), file(large), model('svc-voice')), /^400 VALIDATION_ERROR form: /],
    ['no end', `${model('svc-voice')}${file(large)}`, /^400 VALIDATION_ERROR form: /],
  ])('%s is refused, no backend gets the end of it, and nobody pays', async (_name, body, refusal) => {
    expect(await told(body)).toMatch(refusal)
    expect([onprem.requests, await test.ledger()]).toEqual([[], []])
    expect((await test.logged(1))[0]).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
  })
})

it('what a client sent is metered, and not what a backend got', async () => {
  const body = form(file('RIFF'))

  const response = await post(test, '/v1/audio/convert', { key, body, type: TYPE })

  const answer = await response.text()
  expect(await test.ledger()).toMatchObject([{ cost: (body.length + answer.length) * 500 }])
})

it('a client that leaves while its form is looked at reaches no backend', async () => {
  const request = http.request(`${test.url}${UPLOAD}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': TYPE, 'content-length': 9999 },
  })
  request.on('error', () => {})
  request.write('--b0undary')

  setTimeout(() => request.destroy(), 200)

  expect((await test.logged(1))[0]).toMatchObject({ status: 499 })
  expect([onprem.accepted, await test.ledger()]).toEqual([0, []])
})
