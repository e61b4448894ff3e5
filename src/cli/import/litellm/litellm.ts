import { isObject } from '../../../wire/json-safety.ts'
import { type Beside, type Imported, modelsOf, written } from '../configuration.ts'
import { secondsText } from '../deployment.ts'
import { Report } from '../report.ts'
import { Section } from '../section.ts'
import { fallbacksOf } from './fallbacks.ts'
import { groupsOf } from './groups.ts'
import { plansOf } from './plans.ts'
import { GENERAL, LITELLM, ROUTER, SECTIONS } from './reasons.ts'

/** The configuration that the `config.yaml` of a LiteLLM proxy becomes. */
export function convertLitellm(source: unknown, { keys, names }: Beside): Imported {
  const root = new Section(source, '')
  const [router, settings] = [root.section('router_settings'), root.section('litellm_settings')]
  const report = new Report()
  const fallbacks = fallbacksOf(router, settings)
  const aliases = aliasesOf([router, settings])
  const mentioned = [...fallbacks.names, ...aliases.map(({ to }) => to)]
  const groups = groupsOf(root.take('model_list'), { names, mentioned }, report)
  const made = modelsOf({ gateway: 'LiteLLM', groups, fallbacks: fallbacks.after, aliases, report })
  report.put('models', fallbacks.left)
  for (const { group, others, path } of fallbacks.long) {
    const name = made.named.get(group)
    report.put(name === undefined ? 'models' : `models/${name}`, [{ path, why: longPrompts(others) }])
  }
  const tiers = new Set(Object.values(made.models).map(({ tier }) => tier))
  const planned = plansOf(
    settings,
    keys,
    name => made.named.get(name) ?? made.aliases[name] ?? (tiers.has(name) ? `tier:${name}` : undefined),
  )
  for (const [plan, notes] of planned.notes) report.put(`plans/${plan}`, [], notes)
  const failover = failoverOf(router, settings)
  report.put(failover ? 'failover' : 'models', router.left(ROUTER))
  report.put('plans', [...planned.left, ...settings.left(LITELLM)])
  report.put('store', root.section('general_settings').left(GENERAL))
  report.put('version', root.left(SECTIONS))
  return written(made, { plans: planned.plans, failover, report })
}

const longPrompts = (others: readonly unknown[]): string =>
  `\`serve\` is for every failure, and prompts of any length would go to ${others.map(each => `\`${each}\``).join(' and ')}: write a route by input_tokens at an alias, or the context of each pool`

function aliasesOf(sections: readonly Section[]) {
  return sections.flatMap(section =>
    ['model_group_alias', 'model_alias_map'].flatMap(field => {
      const map = section.take(field)
      return Object.entries(isObject(map) ? map : {}).map(([from, to]) => ({
        ...{ from, to: String(isObject(to) ? to.model : to) },
        path: `model_group_alias.${from}`,
      }))
    }),
  )
}

function failoverOf(router: Section, settings: Section): object | undefined {
  const fails = router.number('allowed_fails') ?? settings.number('allowed_fails')
  const cooldown = router.number('cooldown_time') ?? settings.number('cooldown_time')
  const timeout = router.number('timeout') ?? settings.number('request_timeout')
  const streamTimeout = router.number('stream_timeout')
  const failover = {
    ...(timeout !== undefined && timeout > 0 && { answer_timeout: secondsText(timeout) }),
    ...(streamTimeout !== undefined && streamTimeout > 0 && { first_content_timeout: secondsText(streamTimeout) }),
    ...((fails !== undefined || cooldown !== undefined) && {
      eject: {
        ...(fails !== undefined && { after: fails + 1 }),
        ...(cooldown && { for: secondsText(Math.min(cooldown, 60)) }),
      },
    }),
  }
  return Object.keys(failover).length > 0 ? failover : undefined
}
