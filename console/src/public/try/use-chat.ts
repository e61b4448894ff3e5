import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiProblem } from '../../shared/api.ts'
import { problemFrom } from '../../shared/resource.ts'
import { refreshAccount } from '../account.ts'
import { type AnswerFacts, streamChat } from './chat-stream.ts'
import { costOf } from './cost.ts'

/** A question, and what came of it. */
export interface Turn {
  readonly said: string
  readonly thoughts: string
  readonly answer: string
  readonly state: 'coming' | 'whole' | 'stopped' | 'broken'
  readonly problem?: ApiProblem
  readonly facts: AnswerFacts
}

export interface Chat {
  readonly turns: readonly Turn[]
  /** Why the last question was refused: it is no turn then. */
  readonly refusal: ApiProblem | undefined
  readonly isComing: boolean
  /** Resolves to whether it was taken: else its text is to be sent again. */
  readonly send: (said: string, system: string, body: object) => Promise<boolean>
  readonly stop: () => void
  readonly clear: () => void
}

/** A chat in the memory of the page. */
export function useChat(): Chat {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const [refusal, setRefusal] = useState<ApiProblem>()
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const last = (change: (turn: Turn) => Turn) =>
    setTurns(all => all.map((turn, at) => (at === all.length - 1 ? change(turn) : turn)))
  const addFacts = (facts: AnswerFacts) => last(turn => ({ ...turn, facts: { ...turn.facts, ...known(facts) } }))

  const send = async (said: string, system: string, body: object): Promise<boolean> => {
    const messages = messagesOf(turns, said, system)
    const controller = new AbortController()
    running.current = controller
    setRefusal(undefined)
    setTurns([...turns, { said, thoughts: '', answer: '', state: 'coming', facts: {} }])
    let requestId: string | undefined
    const heard = {
      onText: (more: string) => last(turn => ({ ...turn, answer: turn.answer + more })),
      onThought: (more: string) => last(turn => ({ ...turn, thoughts: turn.thoughts + more })),
      onFacts: (facts: AnswerFacts) => {
        requestId ??= facts.requestId
        addFacts(facts)
      },
    }
    try {
      await streamChat({ ...body, messages }, heard, controller.signal)
      last(turn => ({ ...turn, state: 'whole' }))
    } catch (error) {
      const isStopped = controller.signal.aborted
      if (requestId === undefined) {
        setTurns(turns)
        if (!isStopped) setRefusal(problemFrom(error))
        return false
      }
      last(turn => ({
        ...turn,
        ...(isStopped ? { state: 'stopped' } : { state: 'broken', problem: problemFrom(error) }),
      }))
    } finally {
      running.current = undefined
    }
    void refreshAccount()
    void settle(requestId, addFacts)
    return true
  }
  const clear = () => {
    running.current?.abort()
    setTurns([])
    setRefusal(undefined)
  }
  const isComing = turns.at(-1)?.state === 'coming'
  return { turns, refusal, isComing, send, stop: () => running.current?.abort(), clear }
}

/** Facts that are there: later ones do not take earlier ones away. */
const known = (facts: AnswerFacts): AnswerFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))

async function settle(requestId: string | undefined, addFacts: (facts: AnswerFacts) => void): Promise<void> {
  const usd = requestId === undefined ? undefined : await costOf(requestId).catch(() => undefined)
  if (usd !== undefined) addFacts({ usd })
}

const messagesOf = (turns: readonly Turn[], said: string, system: string) => [
  ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
  ...turns.flatMap(turn => [
    { role: 'user', content: turn.said },
    ...(turn.answer === '' ? [] : [{ role: 'assistant', content: turn.answer }]),
  ]),
  { role: 'user', content: said },
]
