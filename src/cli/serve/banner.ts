import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { counted } from '../../config/format/problem-text.ts'
import type { Loaded } from '../../config/settings.ts'
import { urlOf } from '../../operator/connect.ts'
import { storeText } from '../../server/failure.ts'
import type { RunningGateway } from '../../server/gateway.ts'
import { painter } from '../../server/log/terminal-text.ts'
import { version } from '../../server/version.ts'
import type { Demo } from './demo.ts'
import type { HeldPort } from './free-port.ts'

/** What `serve` prints once it serves: where, and with which pools. */
export function banner({ config, settings, files }: Loaded, gateway: RunningGateway): string {
  const pools = [...config.pools.values()].map(pool => `${pool.name} ×${pool.replicas.length}`).join('   ')
  const { plans, models, aliases, tools } = config
  const policy = [
    counted(plans.size, 'plan'),
    counted(models.size, 'model'),
    counted(aliases.size, 'alias'),
    ...(tools.size > 0 ? [counted(tools.size, 'tool')] : []),
  ]
  return [
    `svcctl ${version} · ${files[0]} · revision ${config.revision}`,
    '',
    `  API       ${settings.server.publicUrl}/v1        listens on ${urlOf(gateway.listen)}`,
    `  Admin     ${urlOf(gateway.admin)}           health, keys, usage`,
    `  Store     ${storeText(settings.store)}`,
    `  Pools     ${pools}`,
    `  Policy    ${policy.join(', ')}`,
    '',
  ].join('\n')
}

interface DemoScreen {
  readonly demo: Demo
  /** A full key, which the reader is to use. */
  readonly key: string
  readonly loaded: Loaded
  readonly colour: boolean
}

/**
 * What the demo prints: all of it fits a terminal of 80 columns and 24 rows below the lines of npm, and no line is
 * wider than that, so that what is copied from the screen is what was printed.
 */
export function demoBanner({ demo, key, loaded: { settings }, colour }: DemoScreen): string {
  const paint = painter(colour)
  const { listen, admin } = demo.ports
  const { publicUrl } = settings.server
  const [first, second] = demo.backends
  const row = (label: string, text: string, note: string) =>
    `  ${paint('bold', label.padEnd(9))}${text}${note && paint('dim', `   ${note}`)}`
  const named = existsSync('config.yaml') ? ` -c ${relative('', demo.config)}` : ''
  const command = (text: string, note: string) => `  ${text.padEnd(30)}${paint('dim', `   ${note}`)}`
  const svcctl = (words: string, note: string) => command(`npx svcctl ${words}${named}`, note)
  return [
    `${paint('bold', `svcctl ${version} · demo`)}${paint('dim', ' · its backends run here · what it stores goes with it')}`,
    row('API', `${publicUrl}/v1`, takenText(listen, ' (npm start -- --port N)')),
    row('Admin', `http://127.0.0.1:${admin.port}`, takenText(admin, '')),
    row('Sign-in', demo.identity.issuer, 'as ada (plan pro) or bob (plan free)'),
    ...demo.missing.map(sentence => row('Missing', sentence, '')),
    '',
    `  ${paint('bold', `export KEY=${key}`)}`,
    '',
    paint('bold', `  curl -i ${publicUrl}/v1/chat/completions \\`),
    paint('bold', `    -H "Authorization: Bearer $KEY" -H 'content-type: application/json' \\`),
    paint('bold', `    -d '{"messages":[{"role":"user","content":"What is 12*7+1?"}]}'`),
    '',
    paint('bold', 'In another terminal, in this folder:'),
    svcctl('quota tail', 'accounts and their requests, live'),
    svcctl('explain --plan free --model svc-pro --chat hi', 'why it is refused'),
    svcctl('plan', 'what your edits of policies/*.yaml change'),
    svcctl('login', 'sign in; after that: npx svcctl whoami'),
    command(`kill ${first?.pid} ${second?.pid}`, 'onprem-core is gone: curl again'),
    '',
  ].join('\n')
}

const takenText = ({ taken }: HeldPort, hint: string): string => (taken === undefined ? '' : `${taken} is taken${hint}`)
