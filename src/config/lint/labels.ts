import type { ConfigFile } from '../file.ts'
import { type MapNode, nodeAt } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import { headerIn } from '../resolve/labels.ts'
import { sayer } from './lint.ts'

/** Reports sources of labels that cannot work, or would put a secret into the ledger. */
export function lintLabels(root: MapNode, { labels = {} }: ConfigFile, report: Report): void {
  const section = nodeAt(root, ['labels'])
  if (!section) return
  const say = sayer(section, report)
  const owners = new Map<string, string>()
  for (const [name, { from }] of Object.entries(labels)) {
    if (from.length > 1 && !from.includes('key'))
      say([name, 'from'], 'error', 'two-headers', `label \`${name}\` has two headers`, 'remove one')
    for (const [index, source] of from.entries()) {
      const header = headerIn(source)
      if (header === undefined) continue
      lintHeader(name, header, owners.get(header), (...problem) => say([name, 'from', index], 'error', ...problem))
      owners.set(header, name)
    }
  }
}

type SayOfHeader = (rule: string, message: string, hint: string) => void

/** Reports a header that clients use otherwise, or that another label has. */
function lintHeader(name: string, header: string, owner: string | undefined, say: SayOfHeader): void {
  if (OTHERS.has(header) || SECRET.test(header)) {
    const message = `label \`${name}\` cannot come from \`${header}\`, which clients send for other purposes`
    say('bad-header', message, `take one of its own, such as x-svc-label-${name}`)
  }
  if (owner === undefined || owner === name) return
  const message = `label \`${name}\` has the header of label \`${owner}\``
  say('duplicate-entry', message, 'give each label a header of its own')
}

/** Headers that have a meaning of their own. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['authorization', 'host', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding', 'accept'],
  ...['accept-encoding', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect', 'proxy-authorization'],
  ...['x-request-id', 'traceparent', 'tracestate', 'forwarded', 'x-forwarded-for', 'idempotency-key'],
])

/** Names of headers whose values are secrets. */
const SECRET = /api-?key|token|secret|password|cookie|credential|signature/
