/** The workload of crash-workload.ts with every merge in a worker and slow, to be killed in the middle of one. */
import { argv, stdout } from 'node:process'
import { IndexWriter } from '../indexing/index-writer.js'
import { crashOptions, writeCommit } from './crash-workload.js'

if (argv[1]?.endsWith('merge-crash-workload.js')) {
  const writer = await IndexWriter.open(argv[2], {
    ...crashOptions,
    backgroundMergeBytes: 0,
    maxMergeBytesPerSecond: 200_000,
    maxMergeBacklog: 1,
  })
  for (let k = Number(writer.userData.k ?? 0) + 1; ; k++) {
    await writeCommit(writer, k, 25)
    stdout.write(`commit ${k}\n`)
  }
}
