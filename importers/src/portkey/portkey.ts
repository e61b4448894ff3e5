import { type Beside, type Imported, modelsOf, written } from '../configuration.ts'
import { withVariables } from '../names.ts'
import { Plans } from '../plans.ts'
import { Report } from '../report.ts'
import { Section } from '../section.ts'
import { conditionsOf } from './conditions.ts'
import { configIn } from './config.ts'
import { deploymentOf, withCommonCap } from './target.ts'
import { type Leaf, leavesOf } from './targets.ts'

/** The configuration that a config of Portkey becomes. A config has no name of a model: it is that of the config where clients name none. */
export function convertPortkey(source: unknown, { names, title }: Beside): Imported {
  const { config, name } = configIn(source)
  const root = new Section(config, '')
  const report = new Report()
  const { leaves, left } = leavesOf(config)
  const chosen = conditionsOf(root.section('strategy'), leaves)
  const asked = chosen ? chosenOf(chosen, names) : askedOf(leaves, names, name ?? title)
  const groups = withVariables(
    variables =>
      new Map(
        asked.map(({ group, leaves: own, model }) => [
          group,
          withCommonCap(own.map(each => deploymentOf(each, { group, model, variables }))),
        ]),
      ),
  )
  const made = modelsOf({
    gateway: 'Portkey',
    groups,
    aliases: chosen?.aliases ?? [],
    placeOf: () => 'targets',
    report,
  })
  const planned = new Plans({ models: 'all' }, 'Portkey')
  planned.report(report)
  report.put('models', [...left, ...(chosen?.left ?? [])])
  return written(made, { plans: planned.plans, report, usual: chosen?.usual })
}

/** A model that clients ask for, the targets that answer, and the model asked of those that name none. */
interface Group {
  readonly group: string
  readonly leaves: readonly Leaf[]
  readonly model: string | undefined
}

/** A model for each target that a condition leads to. */
const chosenOf = (chosen: NonNullable<ReturnType<typeof conditionsOf>>, names: readonly string[]): readonly Group[] =>
  [...chosen.targets].map(([group, leaves]) => ({
    ...{ group, leaves },
    model: chosen.modelOf(group) ?? (names.length === 1 ? names[0] : undefined),
  }))

const askedOf = (leaves: readonly Leaf[], names: readonly string[], usual: string): readonly Group[] =>
  names.length > 0
    ? names.map(name => ({ group: name, leaves, model: name }))
    : [{ group: usual, leaves, model: undefined }]
