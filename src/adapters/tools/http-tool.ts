import type { ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import type { HttpToolSettings } from '../../config/settings.ts'
import type { ToolDefinition } from '../../gateway/ports.ts'
import { type Answer, drop, Egress, mediaType } from './egress.ts'
import { excerpt, whole } from './limits.ts'
import { type Arguments, type Outcome, type Tool, ToolFailure, UNREADABLE, unreachable } from './tool.ts'

/** A tool that takes its arguments as JSON by POST and answers with its result as JSON. */
export class HttpTool implements Tool {
  readonly #settings: HttpToolSettings
  readonly #url: URL
  readonly #egress: () => Egress
  #validate: Promise<ValidateFunction> | undefined

  constructor(settings: HttpToolSettings, egress: () => Egress) {
    this.#settings = settings
    this.#url = new URL(settings.url)
    this.#egress = egress
  }

  async define(): Promise<ToolDefinition> {
    const { description, parameters } = this.#settings
    return { description, parameters }
  }

  load(): Promise<unknown> {
    this.#validate ??= compile(this.#settings.parameters)
    return this.#validate.catch(() => {})
  }

  async call(args: Arguments, signal: AbortSignal): Promise<Outcome> {
    const problem = await this.#misfit(args)
    if (problem !== undefined) return { text: problem, failed: true, unsent: true }
    const { key } = this.#settings
    const answer = await this.#egress().send(
      { origin: this.#url.origin, ...(key && { key }) },
      {
        method: 'POST',
        url: this.#url,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(args),
        signal,
      },
    )
    return answer.statusCode < 300 ? result(answer) : refusal(answer)
  }

  /** The fault of the arguments, in words by which a model can repair them; undefined where they fit. */
  async #misfit(args: Arguments): Promise<string | undefined> {
    this.#validate ??= compile(this.#settings.parameters)
    const validate = await this.#validate
    try {
      if (validate(args)) return undefined
    } catch {
      // ajv compares objects by calling these two, which a model may have written as members.
      return 'the arguments cannot be compared: rename members called `valueOf` or `toString`'
    }
    const errors = validate.errors ?? []
    const problems = errors
      .slice(0, PROBLEMS_MAX)
      .map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
    return `the arguments do not fit the parameters: ${excerpt(problems.join('; '))}`
  }
}

/** The status with which the address of an HTTP tool answered, or why it did not answer. */
export type Reached = { readonly status: number } | { readonly cause: string }

/** Asks which methods the address takes (RFC 9110 9.3.7), which does not call the tool. Never rejects. */
export async function reachTool({ url, key }: HttpToolSettings, signal: AbortSignal): Promise<Reached> {
  const egress = new Egress()
  const place = new URL(url)
  try {
    const target = { origin: place.origin, ...(key && { key }) }
    const answer = await egress.send(target, { method: 'OPTIONS', url: place, headers: {}, signal })
    drop(answer)
    return { status: answer.statusCode }
  } catch (error) {
    return { cause: signal.aborted ? 'timeout' : unreachable(error).detail }
  } finally {
    egress.close()
  }
}

const PROBLEMS_MAX = 5

/** ajv is loaded when a schema is first compiled: of all commands only `serve` needs it. */
async function compile(parameters: Arguments): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const options = { allErrors: true, strict: false, validateFormats: false, logger: false } as const
  return new Ajv2020({ ...options, code: { regExp: LINEAR } }).compile(parameters)
}

/** Patterns in linear time: no text of a model may make a pattern search for ever. */
const LINEAR = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: '' },
)

async function result(answer: Answer): Promise<Outcome> {
  if (answer.statusCode === 204) {
    drop(answer)
    return { text: '', failed: false }
  }
  const type = mediaType(answer)
  if (!isJson(type)) {
    drop(answer)
    throw new ToolFailure('the tool answered something else than JSON', `it answers with content-type ${excerpt(type)}`)
  }
  return { text: compact(await whole(answer.body)), failed: false }
}

/** JSON without white space, and a string without quotes. Where a number may not fit a double, the text stays as it was written. */
function compact(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ToolFailure(UNREADABLE, 'it answers with broken JSON')
  }
  if (typeof value === 'string') return value
  return LONG_NUMBER.test(text) ? text.trim() : JSON.stringify(value)
}

const LONG_NUMBER = /\d{16}/

async function refusal(answer: Answer): Promise<Outcome> {
  const { statusCode } = answer
  const said = excerpt(await readable(answer))
  const text = `the tool answered ${statusCode}`
  const fault =
    OPERATORS.has(statusCode) || statusCode >= 500 ? { fault: new ToolFailure(text, `it answers ${statusCode}`) } : {}
  return { text: said ? `${text}: ${said}` : text, failed: true, ...fault }
}

/** Statuses that no arguments cause: the address or the key is wrong, which an operator has to mend. */
const OPERATORS: ReadonlySet<number> = new Set([401, 403, 404, 405, 415])

async function readable(answer: Answer): Promise<string> {
  const type = mediaType(answer)
  if (isJson(type) || type === 'text/plain') return whole(answer.body).catch(() => '')
  drop(answer)
  return ''
}

const isJson = (type: string): boolean => type === 'application/json' || /^application\/[^+]+\+json$/.test(type)
