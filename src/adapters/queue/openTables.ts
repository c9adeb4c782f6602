import type { Connection } from './session.js'

/** The schema that everything of ours is in: pg-boss's tables and those below. To drop it is to forget all. */
export const schema = 'tpu_toolkit'

/** The version of our own tables. */
const version = 1

/** The least PostgreSQL that pg-boss 10 runs on. */
const leastServer = 13

// A row is kept as the text that it is: jsonb would order its fields anew, and the file of results would get other bytes.
const tables = `
create schema if not exists ${schema};
create table ${schema}.toolkit (version int not null);
insert into ${schema}.toolkit values (${version});
create table ${schema}.sweeps (
  name text primary key,
  experiment text not null,
  digest text,
  toolkit text not null,
  created timestamptz not null default now()
);
create table ${schema}.results (
  sweep text not null,
  key text not null,
  row json not null,
  kept timestamptz not null default now(),
  primary key (sweep, key)
);
create table ${schema}.workers (
  id int generated always as identity primary key,
  host text not null,
  pid int not null,
  threads int not null,
  began timestamptz not null default now(),
  seen timestamptz not null default now(),
  lost timestamptz
);
create table ${schema}.claims (
  sweep text not null,
  job uuid not null,
  worker int not null references ${schema}.workers on delete cascade,
  primary key (sweep, job)
);
create index on ${schema}.claims (worker);
create table ${schema}.refusals (
  sweep text not null,
  worker int not null references ${schema}.workers on delete cascade,
  why text not null,
  primary key (sweep, worker)
);
create table ${schema}.troubles (
  sweep text not null,
  job uuid not null,
  failures int not null default 0,
  deaths int not null default 0,
  aside boolean not null default false,
  error text,
  primary key (sweep, job)
);`

/**
 * Makes the tables where they are missing, one process at a time.
 *
 * Throws    Error for a PostgreSQL that is too old, and for tables of a newer toolkit or pg-boss.
 */
export async function openTables(op: string, connection: Connection, bossSchema: number): Promise<void> {
  const [server] = await connection.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  )
  const major = Math.floor(server!.number / 10_000)
  if (major < leastServer) {
    throw new Error(`${op}: a PostgreSQL of version ${leastServer} or later is needed [${major}]`)
  }
  await connection.query(`select pg_advisory_lock(hashtext('${schema} tables'))`)
  try {
    await makeMissing(op, connection, bossSchema)
  } finally {
    await connection.query(`select pg_advisory_unlock(hashtext('${schema} tables'))`)
  }
}

async function makeMissing(op: string, connection: Connection, bossSchema: number): Promise<void> {
  const exists = async (table: string): Promise<boolean> => {
    const [found] = await connection.query<{ name: string | null }>('select to_regclass($1) as name', [
      `${schema}.${table}`,
    ])
    return found!.name !== null
  }
  if (await exists('version')) {
    const boss = (await connection.boss.schemaVersion()) ?? 0
    if (boss > bossSchema) {
      throw new Error(
        `${op}: the tables in schema ${schema} are of a newer pg-boss, this one knows ${bossSchema} [${boss}]`,
      )
    }
  }
  if (await exists('toolkit')) {
    const [found] = await connection.query<{ version: number }>(`select version from ${schema}.toolkit`)
    if (found?.version !== version) {
      throw new Error(
        `${op}: the tables in schema ${schema} are of another tpu-toolkit, this one knows version ${version} [${found?.version}]`,
      )
    }
    await connection.boss.start()
    return
  }
  await connection.boss.start()
  await connection.transaction(() => connection.query(tables))
}
