import { query, refine } from '../shared/frame/router.ts'
import { useResource } from '../shared/resource.ts'
import { readFleet } from './api/fleet.ts'
import * as text from './texts/fleet.tsx'

/**
 * The gateway whose view is shown, from the address: `all` adds up the fleet. The field to choose one appears with more than one
 * gateway.
 */
export function useGateway() {
  const { data } = useResource(readFleet, 5000)
  const names = data?.data.map(({ gateway }) => gateway) ?? []
  const chosen = query.value.get('gateway') ?? ALL
  const isListed = chosen === ALL || names.includes(chosen)
  const isFleet = names.length > 1
  const field = (isFleet || !isListed) && (
    <select
      aria-label={text.gateway}
      value={chosen}
      onChange={({ currentTarget: { value } }) => refine({ gateway: value === ALL ? undefined : value })}
    >
      <option value={ALL}>{text.allGateways}</option>
      {[...names, ...(isListed ? [] : [chosen])].map(name => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  )
  return { chosen, field, isFleet, option: chosen === ALL ? '' : ` --gateway ${chosen}` }
}

const ALL = 'all'
