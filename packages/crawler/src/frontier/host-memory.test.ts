import t from 'tap'
import { HostMemory } from './host-memory.js'
import { MemoryWorkload } from './memory-workload.js'
import { Politeness } from './politeness.js'

const HOSTS = ['a.example', 'b.example', 'c.example']

t.test('delay and waits of hosts are kept from process to process', async (t) => {
  let now = 1000
  const workload = new MemoryWorkload()
  await workload.add(HOSTS.map((host) => ({ url: `http://${host}/`, depth: 0, redirects: 0 })))
  /** A new process: nothing is left but the workload. */
  const start = async () => {
    const politeness = new Politeness({ delayMs: 100, connections: 4, now: () => now })
    const memory = new HostMemory(workload, politeness, () => now)
    await memory.restore()
    return { politeness, memory, waits: () => HOSTS.map((host) => politeness.waitFor(host)) }
  }
  const first = await start()
  t.same(first.waits(), [0, 0, 0], 'nobody was asked before')
  await first.memory.delay('a.example', 5000)
  await first.memory.pause('b.example', 60_000)
  // Killed: nobody knows whom it asked last, so all wait one delay of their own from the start on.
  now += 10
  const second = await start()
  t.same(second.waits(), [5000, 59_990, 100])
  now += 70_000
  t.same(second.waits(), [0, 0, 0])
  second.politeness.touched('a.example')
  second.politeness.touched('c.example')
  await second.memory.save()
  now += 50
  t.same((await start()).waits(), [4950, 0, 50], 'ended in good order: what is left of the delay')
  await second.memory.save()
  now += 10_000
  t.same((await start()).waits(), [0, 0, 0], 'long over')
})
