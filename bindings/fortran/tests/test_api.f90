! What maxloc_cl and minloc_cl do beside their answers, and the C interface: layouts, one call, a plan.
program test_api
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_quiet_nan, ieee_value
  use argmax_cl
  implicit none
  type(c_ptr) :: handle = c_null_ptr
  call must(argmax_cl_create_default(handle), 'create_default')
  call layouts()
  call errors()
  call masks()
  call components()
  call bounds()
  call one_call()
  call plan()
  call partials()
  call argmax_cl_destroy(handle)
  print '(a)', 'all as expected'
contains

  subroutine expect(truth, what)
    logical, intent(in) :: truth
    character(*), intent(in) :: what
    if (.not. truth) error stop what
  end subroutine

  subroutine must(status, what)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: what
    if (status /= ARGMAX_CL_SUCCESS) error stop what//': '//argmax_cl_string(argmax_cl_last_error())
  end subroutine

  ! C's init functions write C's size.
  subroutine layouts()
    type(argmax_cl_tensor) :: tensor
    type(argmax_cl_desc) :: desc
    type(argmax_cl_buffers) :: buffers
    type(argmax_cl_host_arrays) :: arrays
    type(argmax_cl_host_options) :: options
    type(argmax_cl_block) :: block
    call argmax_cl_tensor_init(tensor)
    call argmax_cl_desc_init(desc)
    call argmax_cl_buffers_init(buffers)
    call argmax_cl_host_arrays_init(arrays)
    call argmax_cl_host_options_init(options)
    call argmax_cl_block_init(block)
    call expect(tensor%struct_size == c_sizeof(tensor), 'argmax_cl_tensor has another size in C')
    call expect(desc%struct_size == c_sizeof(desc), 'argmax_cl_desc has another size in C')
    call expect(buffers%struct_size == c_sizeof(buffers), 'argmax_cl_buffers has another size in C')
    call expect(arrays%struct_size == c_sizeof(arrays), 'argmax_cl_host_arrays has another size in C')
    call expect(options%struct_size == c_sizeof(options), 'argmax_cl_host_options has another size in C')
    call expect(block%struct_size == c_sizeof(block), 'argmax_cl_block has another size in C')
  end subroutine

  subroutine errors()
    real(real32) :: x(2, 3, 4)
    integer(int64) :: where(2, 3)
    integer :: stat
    character(100) :: message
    x = 0
    where = maxloc_cl(x, 4, stat=stat, errmsg=message)
    call expect(stat == ARGMAX_CL_ERROR_INVALID_AXES .and. message == 'dim = 4: expected 1..3', message)
    where = minloc_cl(x, 0, stat=stat, errmsg=message)
    call expect(stat == ARGMAX_CL_ERROR_INVALID_AXES .and. message == 'dim = 0: expected 1..3', message)
    where = maxloc_cl(x, 3, .true., .true., handle, stat, message)
    call expect(stat == 0 .and. all(where == 4), 'a handle of the caller''s')
    where = maxloc_cl(x, 3, x(:, :, 2:) > 0, stat=stat, errmsg=message)
    call expect(stat == ARGMAX_CL_ERROR_INVALID_SIZE .and. &
      message == 'mask has the shape (2, 3, 3): expected a scalar, or that of array, (2, 3, 4)', message)
    where(1, :) = maxloc_cl(x, x(:, :, 1) > 0, stat=stat, errmsg=message)
    call expect(stat == ARGMAX_CL_ERROR_INVALID_SIZE .and. &
      message == 'mask has the shape (2, 3): expected a scalar, or that of array, (2, 3, 4)', message)
  end subroutine

  ! Masks of each kind, scalars, sections and components; nothing left, and nothing but NaN.
  subroutine masks()
    type :: sample
      sequence
      real(real32) :: value
      logical(1) :: good
    end type
    type(sample) :: samples(4)
    real(real64) :: x(2, 3)
    logical :: no
    x = reshape([1d0, 6d0, 2d0, 5d0, 3d0, 4d0], [2, 3])
    no = .false.
    call expect(all([maxloc_cl(x, x < 5), minloc_cl(x, logical(x > 2, 1))] == [2, 3, 1, 3]), 'a mask')
    call expect(all([maxloc_cl(x, 1, logical(x < 5, 2)), minloc_cl(x, 1, logical(x > 2, 8))] == [1, 1, 2, 2, 2, 1]), &
      'masks of other kinds')
    call expect(all([maxloc_cl(x, .true.), maxloc_cl(x, 1, .true.)] == [2, 1, 2, 2, 2]), '.true.')
    call expect(all([maxloc_cl(x, no), maxloc_cl(x, 2, no), maxloc_cl(x, mask=.false._1)] == 0), '.false.')
    call expect(all([maxloc_cl(x, x > 6), maxloc_cl(x, 1, x > 6)] == 0), 'none left')
    call expect(all([maxloc_cl(x(:0, :), x(:0, :) > 6), maxloc_cl(x(:0, :), 1, x(:0, :) > 6)] == 0), 'no elements')
    samples%value = [1., 3., 4., 2.]
    samples%good = logical([.true., .true., .false., .true.], 1)
    call expect(maxloc_cl(samples%value, 1, samples%good) == 2, 'components of a type')
    call expect(maxloc_cl(samples(4:1:-1)%value, 1, samples(4:1:-1)%good) == 3, 'the same backwards')
    x(2, :) = ieee_value(x(2, :), ieee_quiet_nan)
    call expect(all([maxloc_cl(x, ieee_is_nan(x)), maxloc_cl(x, 1, ieee_is_nan(x)), minloc_cl(x, 2, ieee_is_nan(x))] &
      == [2, 1, 2, 2, 2, 0, 1]), 'nothing but NaN left')
  end subroutine

  ! Elements whose distance is, and is not, a multiple of their size.
  subroutine components()
    type, bind(C) :: pair
      real(c_double) :: value
      real(c_float) :: other(2)
    end type
    type, bind(C) :: odd
      integer(c_int16_t) :: small(3)
      integer(c_int8_t) :: tiny(4)
    end type
    type :: packed
      sequence
      real(real64) :: value
      real(real32) :: other
    end type
    type(pair) :: pairs(3)
    type(odd) :: odds(3)
    type(packed) :: several(2, 3)
    pairs%value = [1d0, 3d0, 2d0]
    call expect(all(maxloc_cl(pairs%value) == 2), 'components of a type')
    odds%tiny(2) = [5_int8, 1_int8, 5_int8]
    call expect(maxloc_cl(odds%tiny(2), 1, back=.true.) == 3, 'narrow components of a type')
    several%value = reshape([1d0, 6d0, 2d0, 5d0, 3d0, 4d0], [2, 3])
    several%other = 9
    call expect(all(maxloc_cl(several%value, 2) == [3, 1]), 'components that are not a multiple apart')
    call expect(all(minloc_cl(several(:, 3:1:-1)%value) == [1, 3]), 'the same backwards')
  end subroutine

  ! Counted from 1 whatever the bounds; a pointer, an allocatable array, a scalar answer.
  subroutine bounds()
    integer(int32), target :: x(-3:3)
    integer(int32), pointer :: p(:)
    real(real64), allocatable :: y(:, :)
    x = [4, 1, 7, 7, 0, 7, 2]
    p => x(3:-3:-2)
    allocate (y(0:1, 5:6))
    y(:, :) = reshape([1d0, 2d0, 4d0, 3d0], [2, 2])
    call expect(all([maxloc_cl(x, 1), maxloc_cl(x, 1, back=.true.)] == [3, 6]), 'lower bound -3')
    call expect(all([maxloc_cl(p, dim=1), minloc_cl(p, 1)] == [3, 2]), 'a pointer to a section')
    call expect(all(maxloc_cl(y) == [1, 2]), 'an allocatable array')
  end subroutine

  ! The C interface on a Fortran array: its sizes reversed, indices from 0.
  subroutine one_call()
    real(c_float), target :: x(4, 3)
    integer(c_int64_t), target :: sizes(2), found(3)
    integer(c_int64_t) :: coordinates(2)
    integer(c_int32_t), target :: axes(1)
    integer(c_int32_t) :: count
    real(c_double), target :: seconds
    type(argmax_cl_tensor), target :: input, index
    type(argmax_cl_desc) :: desc
    type(argmax_cl_host_arrays) :: arrays
    type(argmax_cl_host_options) :: options
    x = reshape([1., 7., 3., 7., -5., -2., -9., -4., 0., 0., 0., 8.], [4, 3])
    sizes = [3, 4]
    axes = [1]
    call describe(input, index, desc, sizes, axes)
    call argmax_cl_host_arrays_init(arrays)
    arrays%input = c_loc(x)
    arrays%index = c_loc(found)
    call argmax_cl_host_options_init(options)
    seconds = -1
    options%seconds_compute = c_loc(seconds)
    call must(argmax_cl_host(handle, desc, arrays, options), 'argmax_cl_host')
    call expect(all(found == [1, 1, 3]) .and. seconds >= 0, 'argmax_cl_host')
    call must(argmin_cl_host(handle, desc, arrays), 'argmin_cl_host')
    call expect(all(found == [0, 2, 0]), 'argmin_cl_host')
    call must(argmax_cl_unravel(7_c_int64_t, 2, sizes, coordinates), 'argmax_cl_unravel')
    call expect(all(coordinates == [1, 3]), 'argmax_cl_unravel')
    call must(argmax_cl_list_devices(0, count=count), 'argmax_cl_list_devices')
    call expect(count >= 1, 'argmax_cl_list_devices')
    call expect(argmax_cl_enqueue(handle, c_null_ptr, desc, wait_count=0) == ARGMAX_CL_ERROR_INVALID_QUEUE, &
      'argmax_cl without a queue')
    call expect(argmax_cl_string(argmax_cl_dtype_name(ARGMAX_CL_FLOAT32)) == 'float32', 'argmax_cl_dtype_name')
  end subroutine

  subroutine plan()
    integer(c_int64_t), target :: sizes(2)
    integer(c_int32_t), target :: axes(1)
    type(argmax_cl_tensor), target :: input, index
    type(argmax_cl_desc) :: desc
    type(c_ptr) :: p
    integer(c_size_t) :: bytes, length
    character(kind=c_char) :: text(400)
    sizes = [3, 4]
    axes = [1]
    call describe(input, index, desc, sizes, axes)
    call must(argmax_cl_plan_create(p, handle, ARGMAX_CL_ARGMIN, desc), 'argmax_cl_plan_create')
    call must(argmax_cl_plan_workspace_size(p, bytes), 'argmax_cl_plan_workspace_size')
    call must(argmax_cl_plan_describe(p, text, size(text, kind=c_size_t), length), 'argmax_cl_plan_describe')
    call expect(length > 0, 'argmax_cl_plan_describe')
    call argmax_cl_plan_destroy(p)
  end subroutine

  ! Two halves of an array, merged.
  subroutine partials()
    real(c_float), target :: x(4, 3)
    integer(c_int64_t), target :: sizes(2), part(2), start(2), found(3)
    integer(c_int32_t), target :: axes(1)
    type(argmax_cl_tensor), target :: input, index
    type(argmax_cl_desc) :: desc
    type(argmax_cl_block) :: block
    type(argmax_cl_host_arrays) :: arrays
    type(argmax_cl_partial) :: best(3), other(3)
    integer(c_int64_t), target :: strides(2)
    x = reshape([1., 7., 3., 7., -5., -2., -9., -4., 0., 0., 0., 8.], [4, 3])
    sizes = [3, 4]
    part = [3, 2]
    strides = [4, 1]
    axes = [1]
    call describe(input, index, desc, part, axes)
    input%strides = c_loc(strides)
    call argmax_cl_block_init(block)
    block%sizes = c_loc(sizes)
    block%start = c_loc(start)
    start = [0, 0]
    call must(argmax_cl_partials_host(handle, ARGMAX_CL_ARGMAX, desc, block, c_loc(x), best), 'argmax_cl_partials_host')
    start = [0, 2]
    call must(argmax_cl_partials_host(handle, ARGMAX_CL_ARGMAX, desc, block, c_loc(x(3, 1)), other), 'the other half')
    call must(argmax_cl_partials_merge(3_c_int64_t, best, other), 'argmax_cl_partials_merge')
    call describe(input, index, desc, sizes, axes)
    call argmax_cl_host_arrays_init(arrays)
    arrays%index = c_loc(found)
    call must(argmax_cl_partials_finish(ARGMAX_CL_ARGMAX, desc, best, arrays), 'argmax_cl_partials_finish')
    call expect(all(found == [1, 1, 3]), 'merged halves')
  end subroutine

  subroutine describe(input, index, desc, sizes, axes)
    type(argmax_cl_tensor), target, intent(inout) :: input, index
    type(argmax_cl_desc), intent(inout) :: desc
    integer(c_int64_t), target, intent(in) :: sizes(:)
    integer(c_int32_t), target, intent(in) :: axes(:)
    call argmax_cl_tensor_init(input)
    call argmax_cl_tensor_init(index)
    call argmax_cl_desc_init(desc)
    input%dtype = ARGMAX_CL_FLOAT32
    input%rank = size(sizes)
    input%sizes = c_loc(sizes)
    index%dtype = ARGMAX_CL_INT64
    desc%input = c_loc(input)
    desc%index = c_loc(index)
    desc%axis_count = size(axes)
    desc%axes = c_loc(axes)
  end subroutine
end program
