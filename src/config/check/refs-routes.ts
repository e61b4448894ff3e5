import type { Union } from '../read/merge.ts'
import { isText, type Node, nodeAt, wordsOf } from '../read/tree.ts'
import type { Missing, Unsure } from './refs.ts'

/** Reports the names in routes that nothing declares, also within `any` and `not`. */
export function checkRoutes({ routes, plans, models, aliases }: Union, unsure: Unsure, missing: Missing): void {
  const names = { model: [...models.keys()], plan: [...plans.keys()], alias: [...aliases.keys()] }
  for (const { name, node } of routes) {
    const target = nodeAt(node, ['use'])
    const hint = isText(target) && aliases.has(target.value) ? 'that is an alias; a route leads to a model' : undefined
    if (isText(target) && !models.has(target.value))
      missing('model', target, `route \`${name}\` uses`, names.model, hint)
    for (const when of conditionsIn(nodeAt(node, ['when']))) {
      const check = (noun: 'plan' | 'alias', known: ReadonlyMap<string, unknown>) => {
        for (const word of wordsOf(nodeAt(when, [noun])))
          if (!known.has(word.value)) missing(noun, word, `route \`${name}\` is for`, names[noun])
      }
      if (!unsure.has('plans')) check('plan', plans)
      if (!unsure.has('aliases')) check('alias', aliases)
    }
  }
}

/** The same of the models of pass-through routes. */
export function checkPassthrough({ passthrough, models, aliases }: Union, missing: Missing): void {
  const names = [...models.keys()]
  for (const { name, node } of passthrough.values()) {
    const target = nodeAt(node, ['model'])
    if (!isText(target) || models.has(target.value)) continue
    const hint = aliases.has(target.value) ? 'that is an alias; a route has a model' : undefined
    missing('model', target, `\`${name}\` is served by`, names, hint)
  }
}

/** A condition and those within it. */
function conditionsIn(when: Node | undefined): readonly Node[] {
  if (!when) return []
  const any = nodeAt(when, ['any'])
  return [when, ...(any?.is === 'list' ? any.items : []).flatMap(conditionsIn), ...conditionsIn(nodeAt(when, ['not']))]
}
