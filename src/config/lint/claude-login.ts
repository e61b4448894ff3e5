import type { ClaudeLoginSection, ClaudeSettings, ConfigFile } from '../file.ts'
import { baseUrl } from '../model/formats.ts'
import { type MapNode, nodeAt, type Path } from '../model/tree.ts'
import type { Report, Say } from '../problem.ts'
import { sayer } from './lint.ts'

const SECTION: Path = ['identity', 'claude_login']

/** Reports sign-ins from Claude Code that nobody could approve, and settings that Claude Code would not take. */
export function lintClaudeLogin(root: MapNode, { identity, server = {} }: ConfigFile, report: Report): void {
  const section = identity?.claude_login
  if (!section) return
  const say = sayer(root, report)
  const why = whyNoPage(identity.console_client_id, server)
  if (why !== undefined)
    say(SECTION, 'error', 'claude-login-without-console', `nobody can approve a code: ${why}`, SERVE_CONSOLE)
  lintSettings(root, section, say)
}

const SERVE_CONSOLE = "serve the gateway's own console, and name its client at the provider in `console_client_id`"

/** Why there is no page where people approve codes. */
function whyNoPage(client: string | undefined, server: NonNullable<ConfigFile['server']>): string | undefined {
  if (client === undefined) return '`identity.console_client_id` is missing'
  if (server.console === false) return '`server.console` is false'
  const [own, other] = [server.public_url, server.console_url].map(url => url && baseUrl.read(url))
  return own && other && other !== `${own}/console` ? '`server.console_url` sends people elsewhere' : undefined
}

function lintSettings(root: MapNode, { settings = {} }: ClaudeLoginSection, say: Say): void {
  for (const [plan, written] of Object.entries(settings)) {
    const at = [...SECTION, 'settings', plan]
    const flaw = flawIn(written, [], 0)
    if (flaw) {
      // A name that the tree cannot follow is shown at the settings.
      const place = nodeAt(root, [...at, ...flaw.path]) ? [...at, ...flaw.path] : at
      say(place, 'error', 'claude-setting', `\`${flaw.path.join('.')}\` ${flaw.problem}`, flaw.hint)
    } else if (Buffer.byteLength(JSON.stringify(written)) > MOST_BYTES)
      say(at, 'error', 'claude-setting', `the settings of \`${plan}\` are more than 64 KB`, 'shorten them')
    else lintShapes(written, at, say)
  }
}

/** Bytes of JSON. */
const MOST_BYTES = 65_536
const MOST_LEVELS = 32

interface Flaw {
  readonly path: readonly string[]
  readonly problem: string
  readonly hint: string
}

/** A value that JSON cannot say, or that its readers take differently. */
function flawIn(value: unknown, path: readonly string[], depth: number): Flaw | undefined {
  if (depth > MOST_LEVELS) return { path, problem: 'nests too deeply', hint: `use at most ${MOST_LEVELS} levels` }
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { path, problem: 'is not a number that JSON can hold', hint: 'write a finite number' }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, each] of Object.entries(value)) {
    if (name === '__proto__') return { path, problem: 'has the name `__proto__`', hint: 'remove it' }
    const flaw = flawIn(each, [...path, name], depth + 1)
    if (flaw) return flaw
  }
  return undefined
}

/** Checks the forms of settings whose mistakes Claude Code passes over in silence. Names that are unknown here may be newer ones. */
function lintShapes(written: ClaudeSettings, at: Path, say: Say): void {
  for (const [name, { isRight, expects }] of Object.entries(FORMS)) {
    const [first = '', second] = name.split('.')
    const outer = Object.hasOwn(written, first) ? written[first] : undefined
    const value = second === undefined ? outer : isObject(outer) ? outer[second] : undefined
    if (value !== undefined && !isRight(value))
      say([...at, ...name.split('.')], 'error', 'claude-setting', `\`${name}\` is not ${expects}`, `write ${expects}`)
  }
  if (Object.hasOwn(written, 'mcpServers'))
    say(
      [...at, 'mcpServers'],
      'error',
      'claude-setting',
      '`mcpServers` is not a managed setting',
      'use `managedMcpServers`',
    )
  const env = isObject(written.env) ? written.env : {}
  for (const name of Object.keys(env).filter(each => LEAVING.test(each)))
    say(
      [...at, 'env', name],
      'warning',
      'claude-leaves-gateway',
      `\`${name}\` sends Claude Code elsewhere than to this gateway`,
      'remove it',
    )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

interface Form {
  readonly isRight: (value: unknown) => boolean
  readonly expects: string
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(each => typeof each === 'string')
const TEXTS: Form = { isRight: isTexts, expects: 'a list of texts' }
const TEXT: Form = { isRight: value => typeof value === 'string', expects: 'a text' }
const FLAG: Form = { isRight: value => typeof value === 'boolean', expects: 'true or false' }
const SECTION_FORM: Form = { isRight: isObject, expects: 'a section' }

/** Settings of Claude Code 2.1.330 that operators set most, with their forms. */
const FORMS: Readonly<Record<string, Form>> = {
  env: {
    isRight: value => isObject(value) && Object.values(value).every(each => typeof each === 'string'),
    expects: 'a section of texts',
  },
  permissions: SECTION_FORM,
  'permissions.allow': TEXTS,
  'permissions.ask': TEXTS,
  'permissions.deny': TEXTS,
  'permissions.additionalDirectories': TEXTS,
  'permissions.defaultMode': TEXT,
  'permissions.disableBypassPermissionsMode': TEXT,
  hooks: SECTION_FORM,
  model: TEXT,
  availableModels: TEXTS,
  disableAllHooks: FLAG,
  allowManagedHooksOnly: FLAG,
  allowManagedPermissionRulesOnly: FLAG,
}

/** Variables that choose another endpoint or credential. */
const LEAVING =
  /^(?:ANTHROPIC_(?:BASE_URL|API_KEY|AUTH_TOKEN)|CLAUDE_CODE_USE_(?:BEDROCK|VERTEX|FOUNDRY|MANTLE)|CLAUDE_CODE_OAUTH_TOKEN)$/
