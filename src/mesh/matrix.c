// Placements as 3 rows of 4 doubles. See matrix.h.
#include "mesh/matrix.h"

#include <math.h>
#include <string.h>

const double gz_matrix_identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

bool gz_matrix_product(const double outer[12], const double inner[12], double out[12])
{
    bool finite = true;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) {
            const double *a = outer + 4 * row;
            double sum = a[0] * inner[column] + a[1] * inner[4 + column] + a[2] * inner[8 + column];
            out[4 * row + column] = column == 3 ? sum + a[3] : sum;
            finite = finite && isfinite(out[4 * row + column]);
        }
    return finite;
}

bool gz_matrix_compose(const double translation[3], const double rotation[4], const double scale[3],
                       double out[12])
{
    double length = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                         rotation[2] * rotation[2] + rotation[3] * rotation[3]);
    if (!(length > 0) || !isfinite(length))
        return false;
    double x = rotation[0] / length, y = rotation[1] / length, z = rotation[2] / length;
    double w = rotation[3] / length;
    const double turn[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
    };
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column)
            out[4 * row + column] = turn[row][column] * scale[column];
        out[4 * row + 3] = translation[row];
    }
    return true;
}

void gz_matrix_settle(graze_object *object)
{
    object->placed = 0;
    for (int i = 0; i < 12; ++i)
        object->placed |= object->matrix[i] != gz_matrix_identity[i];
    if (!object->placed)
        memcpy(object->matrix, gz_matrix_identity, sizeof gz_matrix_identity);
}
