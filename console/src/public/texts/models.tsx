import type { ComponentChildren } from 'preact'

export const find = 'Find a model'
export const about = (code: ComponentChildren) => (
  <>Prices are per million tokens. A model outside your plan is refused with {code}; retrying does not help.</>
)
export const none = 'No model matches.'
export const model = 'Model'
export const inPlan = 'In plan'
export const context = 'Context'
export const mostOutput = 'Max output'
export const input = 'Input'
export const output = 'Output'
export const can = 'Can'
export const copy = 'Copy'
export const name = (id: string) => `Name ${id}`
export const yes = 'Yes'
export const no = 'No'
export const inOut = (input: string, output: string) => `${input} in, ${output} out`
export const anImage = (usd: string) => `${usd} an image`
