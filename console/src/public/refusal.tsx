import type { ErrorList } from '../../../src/wire/errors/list.ts'
import { type ApiProblem, askOpen } from '../shared/api.ts'
import { useResource } from '../shared/resource.ts'
import { Problem } from '../shared/states.tsx'
import { Advice } from './advice.tsx'

/** Why something that was asked for here was refused, and what to do. */
export function Refusal({ problem }: { readonly problem: ApiProblem }) {
  const docs = useResource<ErrorList>(() => askOpen('/docs/errors.json'))
  return (
    <Problem problem={problem}>
      <Advice code={problem.code} type={problem.type ?? null} docs={docs.data} />
    </Problem>
  )
}
