import { useEffect, useState } from 'preact/hooks'
import type { ApiProblem } from '../api.ts'
import { problemFrom } from '../resource.ts'
import type { Results } from './search.tsx'

interface Answer {
  readonly typed: string
  readonly results?: Results
  readonly problem?: ApiProblem
}

/** The answer to the text that stands in the field, asked for once its writer pauses; undefined until it comes. */
export function useAnswer(typed: string, find: (typed: string) => Promise<Results>): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>()
  useEffect(() => {
    if (typed === '') return
    let isWanted = true
    const answered = (given: Omit<Answer, 'typed'>) => {
      if (isWanted) setAnswer({ typed, ...given })
    }
    const ask = () =>
      find(typed).then(
        results => answered({ results }),
        error => answered({ problem: problemFrom(error) }),
      )
    const timer = setTimeout(ask, PAUSE_MS)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [typed])
  return answer?.typed === typed ? answer : undefined
}

const PAUSE_MS = 200
