import { mediaTable } from '../media/media-table.ts';
import { activityTable } from '../owner/activity.ts';
import { grantTable } from '../indieauth/grant-rows.ts';
import type { RecordTable } from '../storage/records/record-table.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [activityTable, grantTable, mediaTable];
