import { DEFAULTS } from '../defaults.ts'
import type { ConfigFile, NoticeTargetSection } from '../file.ts'
import { smtp } from '../model/smtp-address.ts'
import { isText, type MapNode, nodeAt, textsOf } from '../model/tree.ts'
import type { Report, Say } from '../problem.ts'
import { sayer } from './lint.ts'

/** Reports notices and their targets that cannot work. */
export function lintNotices(root: MapNode, file: ConfigFile, report: Report): void {
  lintEntries(root, file, report)
  lintTargets(root, file, report)
  lintCustomers(root, file, report)
}

/** Reports an offer to customers that has no way to them. */
function lintCustomers(
  root: MapNode,
  { customer_notices: own, notice_targets: targets = {} }: ConfigFile,
  report: Report,
): void {
  const section = nodeAt(root, ['customer_notices'])
  if (!own || section?.is !== 'map') return
  const say = sayer(section, report)
  const { mail, webhooks = DEFAULTS.customerWebhooks } = own
  if (mail === undefined && !webhooks) {
    const message = 'customers have no way to get the notices that they may choose'
    say([], 'error', 'bad-notice', message, 'write `mail` with a target that has `smtp`, or `webhooks: true`')
  }
  const target = mail === undefined ? undefined : targets[mail]
  if (!target || target.smtp !== undefined) return
  const message = `target \`${mail}\` sends no mail`
  say(['mail'], 'error', 'bad-notice', message, 'name a target of `notice_targets` that has `smtp`')
}

/** Percentages are of limits, and no other event has any. */
function lintEntries(root: MapNode, { notices = [] }: ConfigFile, report: Report): void {
  const section = nodeAt(root, ['notices'])
  if (section?.is !== 'list') return
  for (const [index, { at, of, on }] of notices.entries()) {
    const node = section.items[index]
    if (node?.is !== 'map') continue
    const say = sayer(node, report)
    if (at && !of) say(['at'], 'error', 'bad-notice', 'a notice has `at` and no limits', 'write which limits in `of`')
    if (of && !at) say(['of'], 'error', 'bad-notice', 'a notice has `of` and no percentages', 'write them in `at`')
    if (!at && !of && !on)
      say(
        [],
        'error',
        'bad-notice',
        'a notice needs limits or events',
        'write `at` and `of` for limits, or `on` for events',
      )
  }
}

function lintTargets(root: MapNode, { notice_targets: targets = {} }: ConfigFile, report: Report): void {
  const section = nodeAt(root, ['notice_targets'])
  if (!section) return
  const say = sayer(section, report)
  const used = usedIn(root)
  for (const [name, target] of Object.entries(targets)) {
    lintTarget(name, target, say)
    if (used.has(name)) continue
    const message = `nothing is sent to target \`${name}\``
    say([name], 'warning', 'unused-target', message, 'name it in `to` of `notices`, or remove it')
  }
}

/** The targets that notices name, also in entries with a mistake. */
function usedIn(root: MapNode): ReadonlySet<string> {
  const notices = nodeAt(root, ['notices'])
  const entries = notices?.is === 'list' ? notices.items : []
  const named = entries.flatMap(entry => textsOf(nodeAt(entry, ['to'])).map(({ value }) => value))
  const mail = nodeAt(root, ['customer_notices', 'mail'])
  return new Set(isText(mail) ? [...named, mail.value] : named)
}

function lintTarget(name: string, target: NoticeTargetSection, say: Say): void {
  const kinds = KINDS.filter(kind => target[kind] !== undefined)
  const [kind] = kinds
  if (kinds.length !== 1 || !kind) {
    const message = `target \`${name}\` has ${kinds.length === 0 ? 'no place' : 'several places'} that notices go to`
    say([name], 'error', 'bad-target', message, 'write one of `webhook`, `slack` and `smtp`')
    return
  }
  for (const field of FIELDS[kind].needs)
    if (target[field] === undefined)
      say([name], 'error', 'bad-target', `target \`${name}\` has no \`${field}\``, `a target with \`${kind}\` needs it`)
  const may: readonly Field[] = [kind, ...FIELDS[kind].needs, ...FIELDS[kind].may]
  for (const field of Object.keys(target) as Field[]) {
    if (may.includes(field)) continue
    const message = `\`${field}\` of target \`${name}\` does nothing`
    say([name, field], 'error', 'bad-target', message, `a target with \`${kind}\` has no such field: remove it`)
  }
  lintUser(name, target, say)
}

/** A user and a password belong together. */
function lintUser(name: string, { smtp: written, password }: NoticeTargetSection, say: Say): void {
  const address = written === undefined ? undefined : smtp.read(written)
  if (!address || (address.user === undefined) === (password === undefined)) return
  const [message, hint] =
    password === undefined
      ? [`target \`${name}\` names a user of mail and no \`password\``, 'add `password`, or remove the user']
      : [`target \`${name}\` has a \`password\` and names no user`, 'write smtps://USER@host[:port]']
  say([name, password === undefined ? 'smtp' : 'password'], 'error', 'bad-target', message, hint)
}

type Field = keyof NoticeTargetSection

const KINDS = ['webhook', 'slack', 'smtp'] as const

const FIELDS: Readonly<
  Record<(typeof KINDS)[number], { readonly needs: readonly Field[]; readonly may: readonly Field[] }>
> = {
  webhook: { needs: ['secret'], may: [] },
  slack: { needs: [], may: ['digest'] },
  smtp: { needs: ['from', 'to'], may: ['password', 'digest'] },
}
