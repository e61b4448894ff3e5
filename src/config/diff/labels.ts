import type { Label } from '../../policy/config.ts'
import { type Change, compare, compareNamed, type Own, other, type Rules, type Sides, value } from './changes.ts'

/** The changes of labels. */
export function compareLabels({ before, after }: Sides): readonly Change[] {
  const subject = (name: string) => `label ${name}`
  return compareNamed(before.loaded.config.labels, after.loaded.config.labels, after.loaded, {
    subject,
    gone: ({ name }) => ({ field: 'labels', from: name, to: null, text: `label ${name} is gone`, effect: 'other' }),
    added: ({ name, requiredBy }) => {
      const isRequired = requiredBy.size > 0
      const text = `label ${name} is new${isRequired ? `, and required by ${plansOf(requiredBy)}` : ''}`
      return { field: 'labels', from: null, to: name, text, effect: isRequired ? 'less' : 'other' }
    },
    stayed: (label, next) => compare<Own<Label>>(LABEL, subject(next.name), [label, next], () => next.at),
  })
}

const plansOf = (plans: ReadonlySet<string>): string => [...plans].sort().join(', ')

const LABEL: Rules<Own<Label>> = {
  ofKey: value('from', isOfKey => (isOfKey ? 'keys' : 'no keys'), other),
  header: value('from', header => `header ${header}`, other, 'no header'),
  values: value(
    'values',
    values => [...values].sort().join(', '),
    (from, to) => (to === undefined || from?.every(each => to.includes(each)) ? 'more' : 'less'),
    'any',
  ),
  requiredBy: value(
    'required',
    plans => (plans.size === 0 ? 'by no plan' : `by ${plansOf(plans)}`),
    (from, to) => ([...to].some(plan => !from.has(plan)) ? 'less' : 'more'),
  ),
}
