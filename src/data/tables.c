// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "tables.h"

#include <float.h>
#include <string.h>

static bool cell_is(const kni_csv *csv, uint32_t row, uint32_t column, const char *word)
{
    return strcmp(kni_csv_cell(csv, row, column).text, word) == 0;
}

static bool table_accepted(
    kni_loader *loader, kn_result result, const kni_scalar *cell, const kn_error *error)
{
    return kni_loader_reported(loader, result, &cell->place, error);
}

// A cell that has to say something.
static bool read_name(kni_loader *loader, const kni_scalar *cell, const char *what)
{
    if (cell->length == 0) {
        kni_loader_error(loader, &cell->place, "this row has no %s", what);
    }
    return cell->length > 0;
}

// Starting values -----------------------------------------------------------

static bool read_levels(kni_loader *loader, const kni_csv *csv, uint32_t *levels)
{
    bool ok = true;
    for (uint32_t c = 2; c < kni_csv_column_count(csv); c++) {
        kni_scalar cell = kni_csv_cell(csv, 0, c);
        uint64_t level;
        kn_error error;
        ok &= table_accepted(
            loader, kni_scalar_u64(&cell, 0, UINT32_MAX, &level, &error), &cell, &error);
        levels[c] = (uint32_t)level;
    }
    return ok;
}

static void read_start_row(
    kni_loader *loader, const kni_csv *csv, uint32_t r, const uint32_t *levels)
{
    kni_scalar group = kni_csv_cell(csv, r, 0);
    kni_scalar attribute = kni_csv_cell(csv, r, 1);
    uint32_t index1;
    if (!read_name(loader, &group, "group") || !read_name(loader, &attribute, "attribute") ||
        !kni_loader_resolve_at(
            loader, KN_DEF_ATTRIBUTE, &attribute.place, attribute.text, false, &index1)) {
        return;
    }
    for (uint32_t c = 2; c < kni_csv_column_count(csv); c++) {
        kni_scalar cell = kni_csv_cell(csv, r, c);
        kn_attribute_row row = {group.text, attribute.text, levels[c], 0.0f};
        kn_error error;
        if (cell.length > 0 &&
            table_accepted(loader, kni_scalar_f32(&cell, -FLT_MAX, FLT_MAX, &row.value, &error),
                &cell, &error)) {
            (void)table_accepted(loader,
                kn_attribute_table_register(loader->library, &row, 1, &error), &cell, &error);
        }
    }
}

static void read_starting_values(kni_loader *loader, const kni_csv *csv)
{
    uint32_t *levels = kni_arena_take(&loader->arena, kni_csv_column_count(csv) * sizeof(*levels));
    if (levels == NULL || !read_levels(loader, csv, levels)) {
        return;
    }
    for (uint32_t r = 1; r < kni_csv_row_count(csv); r++) {
        read_start_row(loader, csv, r, levels);
    }
}

// Curves --------------------------------------------------------------------

static bool read_curve_kind(kni_loader *loader, const kni_scalar *cell, kn_curve_kind *kind)
{
    bool is_step = strcmp(cell->text, "step") == 0;
    if (cell->length > 0 && !is_step && strcmp(cell->text, "linear") != 0) {
        kni_loader_error(loader, &cell->place, "expected `linear` or `step`, not `%s`", cell->text);
        return false;
    }
    *kind = is_step ? KN_CURVE_STEP : KN_CURVE_LINEAR;
    return true;
}

// The points of a row; empty cells have none.
static bool read_points(
    kni_loader *loader, const kni_csv *csv, uint32_t r, kn_curve_def *def, kn_curve_point *points)
{
    bool ok = true;
    def->points = points;
    for (uint32_t c = 1; c < kni_csv_column_count(csv); c++) {
        kni_scalar title = kni_csv_cell(csv, 0, c);
        kni_scalar cell = kni_csv_cell(csv, r, c);
        kn_curve_point *point = &points[def->point_count];
        kn_error error;
        if (strcmp(title.text, "kind") == 0) {
            ok &= read_curve_kind(loader, &cell, &def->kind);
        } else if (cell.length > 0) {
            ok &= table_accepted(loader,
                kni_scalar_f32(&title, -FLT_MAX, FLT_MAX, &point->x, &error), &title, &error);
            ok &= table_accepted(
                loader, kni_scalar_f32(&cell, -FLT_MAX, FLT_MAX, &point->y, &error), &cell, &error);
            def->point_count++;
        }
    }
    return ok;
}

static void read_curve(kni_loader *loader, const kni_csv *csv, uint32_t r)
{
    kni_scalar name = kni_csv_cell(csv, r, 0);
    kni_arena_mark mark = kni_arena_here(&loader->arena);
    kn_curve_def def = kn_curve_def_default();
    def.name = name.text;
    kn_curve_point *points =
        kni_arena_take(&loader->arena, kni_csv_column_count(csv) * sizeof(*points));
    if (points != NULL && read_name(loader, &name, "name")) {
        kni_entry *entry = kni_loader_add_at(loader, KN_DEF_CURVE, &name.place, name.text);
        bool ok = read_points(loader, csv, r, &def, points) && entry != NULL;
        kn_curve_id curve;
        kn_error error;
        ok = ok && table_accepted(loader, kn_curve_register(loader->library, &def, &curve, &error),
                       &name, &error);
        if (entry != NULL) {
            entry->state = ok ? KNI_ENTRY_DONE : KNI_ENTRY_FAILED;
        }
    }
    kni_arena_release(&loader->arena, mark);
}

// Tables --------------------------------------------------------------------

void kni_table_read(kni_loader *loader, const kni_csv *csv, kni_phase phase)
{
    bool is_values = cell_is(csv, 0, 0, "group") && cell_is(csv, 0, 1, "attribute");
    if (kni_csv_row_count(csv) == 0) {
        return;
    }
    if (is_values && phase == KNI_PHASE_LAST) {
        kni_arena_mark mark = kni_arena_here(&loader->arena);
        read_starting_values(loader, csv);
        kni_arena_release(&loader->arena, mark);
    } else if (cell_is(csv, 0, 0, "curve") && phase == KNI_PHASE_ENTRIES) {
        for (uint32_t r = 1; r < kni_csv_row_count(csv); r++) {
            read_curve(loader, csv, r);
        }
    } else if (phase == KNI_PHASE_TAGS && !is_values && !cell_is(csv, 0, 0, "curve")) {
        kni_place place = kni_csv_cell(csv, 0, 0).place;
        kni_loader_error(loader, &place,
            "a table must begin with `group,attribute` and levels, or with `curve` and positions");
    }
}
