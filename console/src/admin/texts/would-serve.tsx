export const title = 'Would this be served?'
export const lead = 'A request of this account as it is now. Nothing is sent, counted or reserved.'
export const backTo = (label: string) => `Account ${label}`
export const form = 'The request'
export const sentWith = 'Sent with'
export const aSignIn = 'a sign-in'
export const keyNamed = (name: string, status: string) => (status === 'active' ? name : `${name} (${status})`)
export const model = 'Model'
export const noneNamed = 'none named'
export const inThePlan = (plan: string) => `In plan ${plan}`
export const inNoPlan = 'In no plan of the account'
export const promptTokens = 'Prompt, in tokens'
export const maxTokens = 'max_tokens'
export const asTheModelSays = 'as the model allows'
export const tools = 'Hosted tools'
export const stream = 'Streamed'
export const ask = 'Ask'
export const answer = 'Answer'
export const yes = 'Yes, it would be served'
export const no = 'No, it would be refused'
export const by = (model: string, route: string | null) => (route === null ? model : `${model}, by route ${route}`)
export const pools = 'Pools, in their order'
export const poolIn = (pool: string, state: string) => (state === 'healthy' ? pool : `${pool} (${state})`)
export const thenNext = ', then '
export const reserves = 'Reserves at most'
export const atPrice = (input: string, output: string) => `at ${input} in and ${output} out per 1M tokens`
export const output = 'Output cap granted'
export const tokens = (count: string) => `${count} tokens`
export const allowedTools = 'Hosted tools of the plan'
export const none = 'none'
export const why = 'Why'
export const whatTheClientWouldGet = 'What the client would get'
export const limits = 'Limits and what is left of them'
export const limit = 'Limit'
export const used = 'Used'
export const left = 'Left'
export const beginsAnew = 'Resets'
export const replicasOf = (pool: string) => `Replicas of ${pool}`
export const costs = (tokens: string) =>
  `The prompt has about ${tokens} tokens. A cost is miss × (1 + running) + owed + held / 20 + 128 × running, in tokens; costs within 256 tokens count as equal.`
export const replica = 'Replica'
export const miss = 'Miss'
export const owed = 'Owed'
export const held = 'Held'
export const running = 'Running'
export const cost = 'Cost'
export const loadAge = 'Load reported'
export const seconds = (count: number) => `${count.toFixed(1)} s ago`
export const choice = 'Choice'

const FITNESS = { usable: '', behind: 'behind', paused: 'paused', ejected: 'ejected', drained: 'drained' } as const

interface Standing {
  readonly replica: number
  readonly fitness: keyof typeof FITNESS
  readonly full: boolean
  readonly near: boolean
}

export const standing = ({ replica, fitness, full, near }: Standing, chosen: number | null) => {
  const state =
    fitness === 'usable' ? (replica === chosen ? 'chosen' : near ? 'about equal' : 'costs more') : FITNESS[fitness]
  return full ? `${state}, full` : state
}
