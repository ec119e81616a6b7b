// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tables of numbers, from spreadsheets: starting values by group and level, and curves.
#ifndef KNI_TABLES_H
#define KNI_TABLES_H

#include "csv.h"
#include "loader.h"

// Reads what a table has for this phase: curves with the entries, starting values last. The titles
// say what kind of table it is:
//     group,attribute,1,2,3     levels
//     curve,1,5,10              places along the curve; a column `kind` is optional
void kni_table_read(kni_loader *loader, const kni_csv *csv, kni_phase phase);

#endif
