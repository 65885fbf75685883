import { importItemsTable, importRunsTable } from '../importing/import-records.ts';
import { mailboxServerTable } from '../mailbox/mailbox-server.ts';
import { mediaTable } from '../media/media-rows.ts';
import { blockedPeople, blockedSites } from '../mentions/blocked.ts';
import {
  aggregatorChangesTable,
  aggregatorRunsTable,
  aggregatorStateTable,
} from '../mentions/import/import-runs.ts';
import { mentionTable } from '../mentions/mention-table.ts';
import { receivedTable } from '../mentions/receiving/received-mentions.ts';
import { sendTables } from '../mentions/sending/deliveries.ts';
import { phoneTable } from '../phones/phones.ts';
import type { Clock } from '../platform/clock.ts';
import { postTables } from '../posts/post-table.ts';
import { grantTable } from '../sign-in/grant.ts';
import { adoptedTable } from '../site-folder/adopted/adopted-index.ts';
import { citedTable } from '../site/cited-pages.ts';
import { hubTables } from '../site/websub/subscription.ts';
import { activityTable } from '../storage/records/activity.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import type { RepairOptions } from '../storage/records/repair.ts';
import { workTable } from '../storage/work/work-rows.ts';
import { insertNews, newsTable, repairNews } from './news.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [
  activityTable,
  adoptedTable,
  aggregatorChangesTable,
  aggregatorRunsTable,
  aggregatorStateTable,
  blockedPeople.table,
  blockedSites.table,
  citedTable,
  grantTable,
  importItemsTable,
  importRunsTable,
  mailboxServerTable,
  mediaTable,
  mentionTable,
  newsTable,
  phoneTable,
  ...postTables,
  receivedTable,
  ...sendTables,
  ...hubTables,
  workTable,
];

/** Returns how a damaged database is repaired: the owner reads in the news what has happened. */
export const repairing = (clock: Clock): RepairOptions => ({
  tables: recordTables,
  now: () => new Date(clock()),
  record: (repair, run) => insertNews(run, repairNews(repair), clock),
});
