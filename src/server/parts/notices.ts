import { Agent } from 'undici'
import { MailTarget } from '../../adapters/notices/mail.ts'
import { OwnWebhookTarget } from '../../adapters/notices/own-webhook.ts'
import { publicAgent } from '../../adapters/notices/public-agent.ts'
import { SlackTarget } from '../../adapters/notices/slack.ts'
import { WebhookTarget } from '../../adapters/notices/webhook.ts'
import type { NoticeTargetSettings, Settings } from '../../config/settings.ts'
import { EventWatch } from '../../gateway/notices/event-watch.ts'
import type { Target } from '../../gateway/notices/lane.ts'
import { type Customers, Notifier } from '../../gateway/notices/notifier.ts'
import { noticeId, waiting } from '../../gateway/store/notice.ts'
import { listIncidents } from '../../http/admin/incidents.ts'
import { Slots } from '../../kit/slots.ts'
import type { Millis } from '../../policy/config.ts'
import { ownMail, ownMailDigest } from '../own-mail.ts'
import { gatewayName } from '../version.ts'
import { within } from '../world.ts'
import type { Base } from './base.ts'
import type { Control } from './control.ts'
import type { Part } from './open-parts.ts'
import type { Stored } from './stored.ts'

interface NoticesPorts extends Pick<Stored, 'store'> {
  readonly control: Pick<Control, 'fleet' | 'peers'>
}

/** Notices of a gateway, which one of its processes delivers. */
export interface Notices extends Part {
  /** Sends a test to a target of the files, at once and once. Rejects with the reason where it does not arrive. */
  test(target: string, by: string): Promise<void>
}

export function openNotices(
  { loaded, world, clock, alarm, serving, incidents }: Base,
  { store, control }: NoticesPorts,
): Notices {
  const agent = new Agent({ connect: { timeout: CONNECT_MS } })
  const targets = targetsOfFiles({ serving, clock, alarm }, agent)
  let rules = loaded.config.notices
  serving.follow(next => {
    rules = next.config.notices
  })
  const holder = `${gatewayName}:${Buffer.from(world.random(6)).toString('hex')}`
  const open = publicAgent(world.publicHosts)
  const customers = customersOf({ serving, clock }, store.accounts, open)
  const { fleet, peers } = control
  const events = new EventWatch({
    ...{ notices: store.notices, accounts: store.accounts, keys: store.keys, rules: () => rules, clock, alarm },
    incidents: async () => {
      const query = { gateway: 'all', limit: MOST_INCIDENTS, state: 'all' } as const
      const seen = await listIncidents({ incidents, fleet, peers, clock }, { query })
      return 'denial' in seen
        ? { incidents: [], isWhole: false }
        : { incidents: seen.data, isWhole: seen.unreached.length === 0 }
    },
  })
  const notifier = new Notifier({
    store: store.notices,
    rules: () => rules,
    targets,
    customers,
    holder,
    events,
    clock,
    alarm,
  })
  return {
    test: async (name, by) => {
      const target = targets().get(name)
      if (!target) throw new Error('the files declare no such target')
      const id = noticeId(`test ${name} ${Buffer.from(world.random(12)).toString('hex')}`)
      const delivery = waiting(name)
      await target.send([
        { notice: { id, at: clock.now(), event: { kind: 'test', by }, deliveries: [delivery] }, delivery },
      ])
    },
    close: async () => {
      await within(LAST_MS, notifier.close())
      await within(LAST_MS, Promise.all([agent.destroy(), open.destroy()]))
    },
  }
}

/** The targets that the files declare now, each opened once. */
function targetsOfFiles(
  { serving, clock, alarm }: Pick<Base, 'serving' | 'clock' | 'alarm'>,
  agent: Agent,
): () => ReadonlyMap<string, Target> {
  const opened = new WeakMap<Settings, ReadonlyMap<string, Target>>()
  const targetOf = (target: NoticeTargetSettings, brand: string): Target => {
    switch (target.kind) {
      case 'webhook':
        return new WebhookTarget({ url: target.url, secret: () => target.secret.reveal() }, agent, clock.now)
      case 'slack':
        return new SlackTarget({ url: () => target.url.reveal(), digest: target.digest }, agent)
      case 'mail':
        return new MailTarget({ ...target, password: () => target.password?.reveal() }, brand, addresses =>
          alarm('a mail server does not take notices for some addresses', { addresses: addresses.join(', ') }),
        )
    }
  }
  return () => {
    const { settings } = serving
    const known = opened.get(settings)
    if (known) return known
    const each = Array.from(
      settings.noticeTargets,
      ([name, target]) => [name, targetOf(target, settings.brand)] as const,
    )
    const made = new Map(each)
    opened.set(settings, made)
    return made
  }
}

/** Customers' mail and webhooks as the files offer them now. `dispatcher` connects to public addresses alone. */
function customersOf(
  { serving, clock }: Pick<Base, 'serving' | 'clock'>,
  accounts: Stored['store']['accounts'],
  dispatcher: Agent,
): () => Customers | undefined {
  const slots = new Slots(MOST_CONNECTIONS)
  const contactsOf = async (account: string) => (await accounts.find(account))?.contacts
  return () => {
    const { customerNotices: offered } = serving.settings
    if (!offered) return undefined
    return {
      ...{ offered, contactsOf, digest: ownMailDigest(serving.settings) },
      targetOf: (account, kind) => {
        if (kind === 'mail') return ownMail(serving.settings, async () => (await contactsOf(account))?.mail)
        if (!offered.webhooks) return undefined
        const webhook = async () => (await contactsOf(account))?.webhook
        return new OwnWebhookTarget({ webhook, dispatcher, now: clock.now, slot: () => slots.take() })
      },
    }
  }
}

/** Webhooks of customers that are open at a time: a slow one keeps one of these. */
const MOST_CONNECTIONS = 64
/** All that a gateway remembers. */
const MOST_INCIDENTS = 200
const CONNECT_MS: Millis = 5000
/** An interrupted delivery is repeated with the same id. */
const LAST_MS: Millis = 1000
