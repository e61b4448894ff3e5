import { type Beside, type Imported, modelsOf, written } from '../configuration.ts'
import type { Deployment } from '../deployment.ts'
import { pushTo } from '../lists.ts'
import { withVariables } from '../names.ts'
import { Report } from '../report.ts'
import { Section } from '../section.ts'
import { plansOf } from './plans.ts'
import { deploymentsOf } from './provider.ts'
import { GOVERNANCE, SECTIONS } from './reasons.ts'

/** The configuration that the `config.json` of Bifrost becomes. Clients name its models by `provider/model`, or by the model. */
export function convertBifrost(source: unknown, { names }: Beside): Imported {
  const root = new Section(source, '')
  const governance = root.section('governance')
  const report = new Report()
  const asked = [...names, ...namedBy(governance)]
  const providers = root.section('providers')
  const read = withVariables(variables =>
    providers.names().map(name => deploymentsOf(name, providers.section(name), asked, variables)),
  )
  const all = read.flatMap(({ deployments }) => deployments)
  report.put(
    'pools',
    read.flatMap(({ left }) => left),
  )
  report.put('pools', providers.left({}))
  const groups = new Map<string, Deployment[]>()
  for (const each of all) pushTo(groups, each.name, each)
  const bare = new Map<string, string[]>()
  for (const group of groups.keys()) pushTo(bare, withoutProvider(group), group)
  const isAlone = (name: string) => bare.get(name)?.length === 1
  const nameOf = (group: string) => (isAlone(withoutProvider(group)) ? withoutProvider(group) : group)
  const made = modelsOf({ gateway: 'Bifrost', groups, nameOf, report })
  const { planned, left } = plansOf(governance, made.named)
  planned.report(report)
  report.put('plans', [...left, ...governance.left(GOVERNANCE)])
  root.take('$schema')
  report.put('version', root.left(SECTIONS))
  return written(made, { plans: planned.plans, report })
}

const withoutProvider = (name: string): string => name.slice(name.indexOf('/') + 1)

/** The models that virtual keys name, as `provider/model`. */
function namedBy(governance: Section): readonly string[] {
  return governance.list('virtual_keys').flatMap(key =>
    key.list('provider_configs').flatMap(each => {
      const models = each.take('allowed_models')
      return (Array.isArray(models) ? models : [])
        .filter(name => name !== '*')
        .map(name => `${each.text('provider')}/${name}`)
    }),
  )
}
