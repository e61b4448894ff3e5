import { decodeJwt } from 'jose'
import { renderText } from '../../config/format/problem-text.ts'
import { ago } from '../../config/model/formats.ts'
import { parseLimitRule } from '../../config/model/limit-text.ts'
import { suggestion } from '../../config/model/suggest.ts'
import type { Loaded } from '../../config/settings.ts'
import { loadWithStandIns } from '../../config/stand-ins.ts'
import type { TokenClaims } from '../../gateway/accounts/sign-in/claimed-sign-in.ts'
import { loadedOrFail } from '../../operator/load-files.ts'
import type { Config, EpochMs } from '../../policy/config.ts'
import { CALENDAR_RULES } from '../../policy/limits/named-rules.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { lookOf, usesColour } from '../../server/log/terminal-text.ts'
import { world } from '../../server/world.ts'
import type { Usage, UsedLimit } from '../../simulate/file.ts'
import { remediesOf } from '../../simulate/flips.ts'
import { answerOf } from '../../simulate/result.ts'
import { readMoment, type Scenario, type Situation, scenarioOf } from '../../simulate/scenario.ts'
import { simulate } from '../../simulate/simulation.ts'
import { usageNowCalled } from '../../simulate/test-file.ts'
import { writeOut } from '../kit/terminal.ts'
import { patternBeside, readAll, testsBeside } from '../test/files.ts'
import type { ExplainOptions } from './explain.ts'
import { bodyIn, countIn, headersIn, pathIn, refuseLonePath, textIn, unitIn, wrong } from './options.ts'
import { explanationJson, explanationText } from './text.ts'

/** Simulates one request end to end and prints each step. */
export async function explain(options: ExplainOptions): Promise<void> {
  const loaded = loadedOrFail(loadWithStandIns(options.config, process.env, process.cwd()))
  const scenario = scenarioIn(options, loaded)
  const simulation = await simulate(loaded, scenario)
  const remedies = await remediesOf(loaded, scenario, simulation)
  const explained = {
    scenario,
    simulation,
    answer: answerOf(loaded, simulation),
    remedies,
    brand: loaded.settings.brand,
  }
  const told = options.json ? explanationJson(explained) : explanationText(explained, usesColour(process.stdout))
  await writeOut([told])
  process.exitCode = options.exitCode && simulation.denial ? exitCodes.bad : exitCodes.fine
}

function scenarioIn(options: ExplainOptions, loaded: Loaded): Scenario {
  const { config } = loaded
  if (options.case !== undefined) return scenarioOfCase(options.case, options.config, loaded)
  const scenario = scenarioOf(config, situationIn(options, config, world.clock.now()))
  if (scenario) return scenario
  throw new CommandFailed(
    '✗ no default plan: say who sends it with --plan, --guest, --token or --auth',
    exitCodes.usage,
  )
}

function scenarioOfCase(name: string, file: string, loaded: Loaded): Scenario {
  const cwd = process.cwd()
  const { tests, problems, sources } = readAll(testsBeside(file, cwd).files, cwd, loaded)
  if (problems.length > 0) throw new CommandFailed(renderText(problems, sources, lookOf(process.stderr)).trimEnd())
  const found = tests.flatMap(({ cells, cases }) => [...cells, ...cases]).find(each => each.name === name)
  if (found) return found.scenario
  throw new CommandFailed(`✗ no case in ${patternBeside(file, cwd)} is called \`${name}\``, exitCodes.usage)
}

/** A request and its world by the options. Fails with wrong usage where they make no sense. */
function situationIn(options: ExplainOptions, config: Config, now: EpochMs): Situation {
  const { model, chat, input, prompt, stream, chatTokens, maxTokens, body, tool } = options
  const usage = usageIn(options.usage)
  const pools = poolsIn(options, config)
  refuseLonePath(options)
  return {
    now: options.now === undefined ? now : momentIn(options.now),
    ...senderIn(options, config),
    ...(model !== undefined && { model }),
    ...(chat !== undefined && { chat }),
    ...(input !== undefined && { input }),
    ...(prompt !== undefined && { prompt }),
    ...(stream !== undefined && { stream }),
    ...(tool.length > 0 && { tools: tool }),
    ...(chatTokens !== undefined && { chat_tokens: countIn('--chat-tokens', chatTokens, 1) }),
    ...(maxTokens !== undefined && { max_tokens: countIn('--max-tokens', maxTokens, 1) }),
    ...(body !== undefined && { request: { path: pathIn(options.path), body: bodyIn(body) } }),
    headers: headersIn(options.header),
    ...(usage && { usage }),
    ...(pools && { pools }),
  }
}

function senderIn(options: ExplainOptions, config: Config): Pick<Situation, 'plan' | 'auth' | 'claims'> {
  const { auth, token } = options
  const plan = planIn(options, config)
  return {
    ...(plan !== undefined && { plan }),
    ...(auth !== undefined && { auth }),
    ...(token !== undefined && { claims: claimsIn(token) }),
  }
}

function planIn({ plan, guest }: ExplainOptions, { plans, guestPlan }: Config): string | undefined {
  if (guest) {
    if (!guestPlan) throw wrong('guests are not served: the configuration has no `guests`')
    return guestPlan.name
  }
  if (plan !== undefined && !plans.has(plan)) throw unknown('plan', plan, [...plans.keys()])
  return plan
}

const unknown = (noun: string, name: string, known: readonly string[]): CommandFailed =>
  wrong(`no such ${noun} \`${name}\`: ${suggestion(name, known)}`)

function momentIn(text: string): EpochMs {
  const at = readMoment(text)
  if (at === undefined) throw wrong(`--now: \`${text}\` is not a moment; write 2026-11-21T10:00:00Z`)
  return at
}

/** No message has a part of the token. */
function claimsIn(file: string): TokenClaims {
  try {
    return decodeJwt(textIn('--token', file).trim())
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw wrong(`--token: ${file} has no signed JWT`)
  }
}

function poolsIn({ down, failing }: ExplainOptions, { pools }: Config): Situation['pools'] {
  for (const name of [...down, ...failing]) if (!pools.has(name)) throw unknown('pool', name, [...pools.keys()])
  if (down.length + failing.length === 0) return undefined
  return Object.fromEntries([
    ...down.map(name => [name, 'down'] as const),
    ...failing.map(name => [name, 'failing'] as const),
  ])
}

const WINDOWS = CALENDAR_RULES.map(({ reading }) => reading)
const USAGES = ['requests', 'tokens', 'oldest', ...WINDOWS, 'month_usd', 'reserved_usd', 'concurrent', 'guests_usd']

function usageIn(written: readonly string[]): Usage | undefined {
  if (written.length === 0) return undefined
  const texts = written.flatMap(text => text.split(',')).map(text => text.trim())
  const entries = new Map(texts.filter(text => !isOfRule(text)).map(entryIn))
  const limits = texts.filter(isOfRule).map(usedIn)
  const count = (name: string) => countIn(`--usage ${name}`, entries.get(name) ?? '0')
  const usd = (name: string) => {
    const text = entries.get(name) ?? '0'
    unitIn(`--usage ${name}`, 'usd', text, 0)
    return Number(text)
  }
  const oldest = entries.get('oldest') ?? '0s'
  if (ago.read(oldest) === undefined) throw wrong(`--usage oldest: \`${oldest}\` is not ${ago.expects}; ${ago.hint}`)
  return {
    minute: { requests: count('requests'), tokens: count('tokens'), oldest },
    ...Object.fromEntries(WINDOWS.map(window => [window, { requests: count(window) }])),
    month_usd: usd('month_usd'),
    reserved_usd: usd('reserved_usd'),
    concurrent: count('concurrent'),
    guests_usd: usd('guests_usd'),
    ...(limits.length > 0 && { limits }),
  }
}

/** `tokens per day for svc-core=1.9M` */
const isOfRule = (text: string): boolean => /^\w+ .*=/.test(text)

function usedIn(text: string): UsedLimit {
  const {
    measure = '',
    where = '',
    amount = '',
  } = /^(?<measure>\w+) (?<where>.*)=(?<amount>.*)$/.exec(text)?.groups ?? {}
  const rule = parseLimitRule(`${measure} ${amount} ${where}`)
  if ('problem' in rule) throw wrong(`--usage: ${rule.problem}`)
  const { measure: counted, most, ...rest } = rule
  return { [counted]: counted === 'usd' ? most / 1e9 : most, ...rest }
}

function entryIn(text: string): readonly [string, string] {
  const { name = '', value } = /^(?<name>\w+)=(?<value>.+)$/.exec(text.trim())?.groups ?? {}
  if (value === undefined) throw wrong(`--usage: \`${text}\` is not name=value, such as requests=20`)
  const now = usageNowCalled(name)
  if (now !== undefined) throw wrong(`no such usage \`${name}\`: its name is now \`${now}\``)
  if (!USAGES.includes(name)) throw unknown('usage', name, USAGES)
  return [name, value]
}
