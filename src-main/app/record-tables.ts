import { grantTable } from '../sign-in/grant-rows.ts';
import { mediaTable } from '../media/media-table.ts';
import { blockedTable } from '../mentions/blocked.ts';
import { mentionTable } from '../mentions/mention-table.ts';
import { activityTable } from '../storage/records/activity.ts';
import { importItemsTable, importRunsTable } from '../importing/import-records.ts';
import { insertNews, newsTable } from './news.ts';
import { repairNews } from './news-words.ts';
import { mailboxServerTable } from '../mailbox/mailbox-server.ts';
import type { Clock } from '../platform/clock.ts';
import { citedTable } from '../site/cited-pages.ts';
import { workTable } from '../storage/work/work-table.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import type { RepairOptions } from '../storage/records/repair.ts';
import { aggregatorChangesTable, aggregatorRunsTable } from '../mentions/import/import-runs.ts';
import { aggregatorStateTable } from '../mentions/import/import-state.ts';
import { receivedTable } from '../mentions/receiving/received-mentions.ts';
import { sendTables } from '../mentions/sending/delivery-table.ts';
import { hubTables } from '../site/websub/subscription-tables.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [
  activityTable,
  aggregatorChangesTable,
  aggregatorRunsTable,
  aggregatorStateTable,
  blockedTable,
  citedTable,
  grantTable,
  importItemsTable,
  importRunsTable,
  mailboxServerTable,
  mediaTable,
  mentionTable,
  newsTable,
  receivedTable,
  ...sendTables,
  ...hubTables,
  workTable,
];

/** Returns how a damaged database is repaired: the owner reads in the news what has happened. */
export const repairing = (clock: Clock): RepairOptions => ({
  tables: recordTables,
  now: () => new Date(clock()),
  tell: (repair, run) => insertNews(run, repairNews(repair), clock),
});
